local prompt, expect = require("prompt"), require("expect")

return function()
    local builder = prompt.new()
    builder:add_function_call("f", "{}", "c1"):add_function_call("f", { a = 1 }, "c2", { provider_metadata = { s = "x" } })
    builder:add_function_result("f", "r1", "c1"):add_function_result("f", nil, "c3"):add_function_result("f", "r2", "c2")
    expect.same(builder.messages, {
        { role = "function_call", content = {}, function_call = { name = "f", arguments = "{}", id = "c1" } },
        {
            role = "function_call",
            content = {},
            function_call = { name = "f", arguments = { a = 1 }, id = "c2", provider_metadata = { s = "x" } },
        },
        { role = "function_result", name = "f", content = { prompt.text("r1") }, function_call_id = "c1" },
        { role = "function_result", name = "f", content = { prompt.text("r2") }, function_call_id = "c2" },
    })
end
