local compress, scripted, expect = require("compress"), require("scripted"), require("expect")

return function()
    for index = 1, 20 do
        scripted.answer({ result = "part " .. index })
    end
    local info = { max_tokens = 800, output_tokens = 200 } -- 360 characters fit
    expect.same(compress.get_stats("m", ("x"):rep(400), info).strategy, "map_reduce")
    local text = ("some words and more. "):rep(60)
    local result = compress.to_size("swift", text, 100, nil, info)
    local requests = scripted.requests()
    expect.same(result, "part " .. #requests)
    expect.contains(requests[1].messages[2].content[1].text, "one part of a longer text")
    expect.contains(requests[#requests].messages[2].content[1].text, "part 1\n\npart 2")
end
