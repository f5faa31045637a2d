local agent_context, prompt, scripted, expect =
    require("agent_context"), require("prompt"), require("scripted"), require("expect")

return function()
    local runner = agent_context.new():load_agent("case:helper")
    scripted.answer({
        result = "so",
        finish_reason = "length",
        tool_calls = { { id = "1", name = "Tally", arguments = {} } },
        tokens = { prompt_tokens = 5 },
    })
    local response = runner:step(prompt.new():add_user("hi"))
    expect.same(response.truncated, true)
    expect.same(response.tool_calls, nil)
    expect.same(runner:get_stats().total_tokens.prompt, 0)
end
