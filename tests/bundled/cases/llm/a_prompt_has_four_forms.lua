local llm, prompt, scripted, expect = require("llm"), require("prompt"), require("scripted"), require("expect")

return function()
    local messages = { { role = "user", content = { prompt.text("hi") } } }
    for _, input in ipairs({ "hi", prompt.new():add_user("hi"), { messages = messages }, messages }) do
        llm.generate(input, { model = "fast" })
    end
    for _, request in ipairs(scripted.requests()) do
        expect.same(request.messages, messages)
    end
    expect.fails("Invalid prompt input format", llm.generate(7, { model = "fast" }))
    expect.fails("Invalid prompt input format", llm.generate({ text = "hi" }, { model = "fast" }))
    expect.fails("Model is required in options", llm.generate("hi"))
    expect.fails("Model is required in options", llm.generate("hi", {}))
end
