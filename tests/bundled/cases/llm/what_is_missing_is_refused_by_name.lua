local llm, scripted, expect = require("llm"), require("scripted"), require("expect")

return function()
    expect.fails("`llm.structured_output` is not in this version", llm.structured_output({}, "x", { model = "fast" }))
    expect.fails("`llm.embed` is not in this version", llm.embed("x", { model = "fast" }))
    expect.fails("`llm.track_usage` is not in this version", llm.track_usage({}, "fast", {}))
    expect.fails("`provider_id` is not in this version", llm.generate("x", { model = "fast", provider_id = "p" }))
    expect.fails("`retry` is not in this version", llm.generate("x", { model = "fast", retry = { max_attempts = 3 } }))
    expect.same(#scripted.requests(), 0)
end
