local compress, scripted, expect = require("compress"), require("scripted"), require("expect")

return function()
    local text = ("x"):rep(5000)
    expect.fails("a model is required", compress.to_size("", text, 100))
    expect.fails("content is required", compress.to_size("swift", "", 100))
    expect.fails("positive number", compress.to_size("swift", text, -1))
    expect.fails("at least 50", compress.to_size("swift", text, 49))
    expect.fails("over the 1600 characters", compress.to_size("swift", text, 1601))
    expect.fails("model `none` not found", compress.to_size("none", text, 100))
    expect.fails("model `fast` not found", compress.to_size("fast", text, 100)) -- a class is no name
    expect.same((compress.can_compress("swift", text, 100)), true)
    expect.same((compress.can_compress("swift", text, 10)), false)
    scripted.fail("Canceled", "interrupted")
    local _, err = compress.to_size("swift", ("x"):rep(500), 100)
    expect.same(errors.is(err, errors.CANCELED), true)
end
