local agent_context, expect = require("agent_context"), require("expect")

return function()
    local context = agent_context.new({ context = { a = 1 } })
    context:load_agent("app:dev_assistant")
    context:add_tools("case.tools:tally")
    local switched, err = context:switch_to_agent("case:broken")
    expect.same(switched, false)
    expect.contains(err, "delegates")
    local has_tally = false
    for _, tool in ipairs(context:load_agent("app:dev_assistant").agent.tools) do
        has_tally = has_tally or tool.name == "Tally"
    end
    expect.same(has_tally, true, "a failed switch takes nothing away")
    expect.same(context:switch_to_agent("case:helper"), true)
    expect.same(context:get_config().tools, {})
    context:update_context({ b = 2 })
    expect.same(context:get_config().context, { a = 1, b = 2 })
end
