local agent_context, expect = require("agent_context"), require("expect")

return function()
    local context = agent_context.new()
    expect.same(context:load_agent("case:helper").id, "case:helper")
    expect.same(context:load_agent("helper").id, "case:helper")
    expect.same(context:load_agent({ id = "inline", prompt = "p", model = "swift" }).id, "inline")
    expect.fails("no agent has the name `nobody`", context:load_agent("nobody"))
    expect.fails("is not an agent", context:load_agent("case:polite"))
    expect.fails("names no model", context:load_agent({ id = "inline" }))
    expect.fails("an agent is required", agent_context.new():load_agent())
end
