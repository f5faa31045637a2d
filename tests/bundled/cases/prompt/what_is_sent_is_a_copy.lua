local prompt, expect = require("prompt"), require("expect")

return function()
    local list = {}
    local builder = prompt.new(list)
    builder:add_user("one")
    expect.same(#list, 1, "the passed list is used")
    builder:get_messages()[1].content[1].text = "changed"
    builder:build().messages[1].role = "changed"
    local twin = builder:clone()
    twin:add_user("two")
    expect.same(builder.messages, { { role = "user", content = { prompt.text("one") } } })
    expect.same(twin.messages[1].content[1].text, "one\n\ntwo")
    expect.same(#builder:clear().messages, 0)
end
