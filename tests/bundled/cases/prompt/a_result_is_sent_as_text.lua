local prompt, expect = require("prompt"), require("expect")

return function()
    local builder = prompt.new():add_function_result("f", { count = 2 }, "c1"):add_function_result("f", 7, "c2")
    local sent = builder:get_messages()
    expect.same(sent[1].content[1].text, '{"count":2}')
    expect.same(sent[2].content[1].text, "7")
    expect.same(builder.messages[1].content[1].text, { count = 2 }, "the builder keeps what it was given")
end
