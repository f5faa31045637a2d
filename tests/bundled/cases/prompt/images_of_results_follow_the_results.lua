local prompt, expect = require("prompt"), require("expect")

return function()
    local builder = prompt.new()
    builder:add_function_call("f", "{}", "c1"):add_function_call("f", "{}", "c2")
    builder:add_function_result("f", { ok = true, _images = { { url = "http://x/1.png" } } }, "c1")
    builder:add_function_result("f", '{"_images":[{"mime_type":"image/png","data":"QQ=="}]}', "c2")
    builder:add_assistant("seen")
    local sent = builder:get_messages()
    expect.same(sent[3].content[1].text, '{"ok":true} (see image results below)')
    expect.contains(sent[4].content[1].text, " (see image results below)")
    expect.same(sent[5], {
        role = "user",
        content = { prompt.image("http://x/1.png"), prompt.image_base64("image/png", "QQ==") },
    })
    expect.same(sent[6].role, "assistant")
end
