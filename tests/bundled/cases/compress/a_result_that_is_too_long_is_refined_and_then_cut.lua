local compress, scripted, expect = require("compress"), require("scripted"), require("expect")

return function()
    for _ = 1, 4 do
        scripted.answer({ result = ("\u{e4}"):rep(100) })
    end
    local result = compress.to_size("swift", ("word "):rep(100), 61)
    expect.same(result, ("\u{e4}"):rep(30), "cut at a whole character")
    expect.same(#scripted.requests(), 3)
end
