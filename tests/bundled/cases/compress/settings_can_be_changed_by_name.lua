local compress, expect = require("compress"), require("expect")

return function()
    expect.same(compress.configure({ max_attempts = 5 }).max_attempts, 5)
    expect.same(compress.get_config().chunk_overlap, 200)
    expect.fails("invalid setting `nonsense`", compress.configure({ nonsense = 1 }))
end
