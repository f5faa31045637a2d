local agent_context, prompt, scripted, expect =
    require("agent_context"), require("prompt"), require("scripted"), require("expect")

return function()
    local runner = agent_context.new():load_agent("case:helper")
    for _, finish in ipairs({ "length", "filtered", "error" }) do
        scripted.answer({ result = "", finish_reason = finish, metadata = { truncated = true, dropped_calls = 1 } })
        local response = runner:step(prompt.new():add_user("hi"))
        expect.same(response.truncated, true)
        expect.same(response.tool_calls, nil)
    end
end
