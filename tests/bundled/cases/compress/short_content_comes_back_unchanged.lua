local compress, scripted, expect = require("compress"), require("scripted"), require("expect")

return function()
    expect.same(compress.to_size("swift", "short", 100), "short")
    expect.same(#scripted.requests(), 0)
end
