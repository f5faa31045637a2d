local agent_context, prompt, scripted, expect =
    require("agent_context"), require("prompt"), require("scripted"), require("expect")

return function()
    local runner = agent_context.new({ enable_cache = false }):load_agent("case:helper")
    scripted.answer({
        finish_reason = "tool_call",
        tool_calls = {
            { id = "1", name = "Tally", arguments = { n = 1 } },
            { id = "2", name = "unknown", arguments = {}, arguments_error = "cut" },
        },
    })
    local response = runner:step(prompt.new():add_user("hi"), { context = { step = 9, extra = true } })
    local first, second = response.tool_calls[1], response.tool_calls[2]
    expect.same(first.registry_id, "case.tools:tally")
    expect.same(first.context, { step = 9, loud = nil, extra = true, tenant = "t1", agent_id = "case:helper" })
    expect.same(second.registry_id, nil)
    expect.same(second.arguments_error, "cut")
    expect.same(scripted.requests()[1].messages[2].role, "user", "no cache marker")
end
