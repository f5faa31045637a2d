local agent_context, prompt, scripted, expect =
    require("agent_context"), require("prompt"), require("scripted"), require("expect")

return function()
    local runner = agent_context.new():load_agent("case:helper")
    local conversation = prompt.with_system("Conversation summary: x"):add_user("hi")
    scripted.answer({ result = "hello", tokens = { prompt_tokens = 5, completion_tokens = 2, total_tokens = 7 } })
    local response = runner:step(conversation, { stream_target = { reply_to = "p", topic = "t" }, tool_call = "auto" })
    expect.same(response.result, "hello")
    expect.same(response.tool_calls, nil)
    local request = scripted.requests()[1]
    expect.contains(request.messages[1].content[1].text, "Be of help.\n\nBe polite.")
    expect.contains(request.messages[1].content[1].text, "## Your memory contains:\nlikes tea")
    expect.same(request.messages[2], { role = "cache_marker", marker_id = "case:helper" })
    expect.same(request.messages[3].content[1].text, "Conversation summary: x")
    expect.same(request.messages[4].role, "user")
    expect.same(request.options, { max_tokens = 512, temperature = 0.5, user = "case:tester" })
    expect.same(request.stream, { reply_to = "p", topic = "t" })
    expect.same(request.tool_choice, "auto")
    expect.same(#request.tools, 4)
    expect.same(request.tools[2].name, "count_words")
    expect.same(request.tools[2].registry_id, "case.tools:word_count")
    expect.same(#conversation.messages, 2, "the conversation is the caller's")
    expect.same(runner:get_stats(), {
        id = "case:helper",
        name = "helper",
        total_tokens = { prompt = 5, completion = 2, thinking = 0, total = 7 },
    })
end
