local compress, scripted, expect = require("compress"), require("scripted"), require("expect")

return function()
    scripted.answer({ result = "  brief  " })
    expect.same(compress.to_size("swift", ("word "):rep(100), 60), "brief")
    local request = scripted.requests()[1]
    expect.same(request.purpose, "compress")
    expect.same(request.model, "case:swift")
    expect.same(request.options.max_tokens, 60 // 4 + 200)
    expect.same(request.options.target_characters, 60)
    expect.same(request.options.temperature, 0.2)
    expect.same(#scripted.requests(), 1)
end
