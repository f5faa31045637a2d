local llm, prompt, scripted, expect = require("llm"), require("prompt"), require("scripted"), require("expect")

return function()
    scripted.answer({ result = "hello" })
    local answer = llm.generate(prompt.new():add_user("hi"), {
        model = "gpt-5.1",
        temperature = 0.5,
        max_tokens = 9,
        tools = { { name = "f", schema = { type = "object" } } },
        tool_choice = "any",
        timeout = 5,
        purpose = "compress",
    })
    expect.same(answer.result, "hello")
    expect.same(scripted.requests()[1], {
        model = "app:gpt-5.1",
        messages = { { role = "user", content = { prompt.text("hi") } } },
        options = { temperature = 0.5, max_tokens = 9, user = "case:tester" },
        tools = { { name = "f", schema = { type = "object" } } },
        tool_choice = "required",
        timeout = 5,
        purpose = "compress",
    })
end
