local prompt, expect = require("prompt"), require("expect")

return function()
    local image = prompt.image("http://x/y.png")
    local builder = prompt.new()
    builder:add_user("one"):add_user("two"):add_message("user", { image, prompt.text("three") }):add_user("four")
    expect.same(builder.messages, {
        { role = "user", content = { prompt.text("one\n\ntwo"), image, prompt.text("three\n\nfour") } },
    })
    builder:add_assistant("a"):add_user("five"):add_message("user", { prompt.text("six") }, "ann")
    expect.same(#builder.messages, 4, "another name is another speaker")
end
