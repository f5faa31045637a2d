local output, expect = require("output"), require("expect")

return function()
    local channel = process.listen("here")
    local streamer = output.streamer(process.pid(), "here", 10)
    coroutine.spawn(function()
        streamer:buffer_content("ab")
        streamer:buffer_content("c.")
        streamer:buffer_content("0123456789")
        streamer:buffer_content("rest")
        streamer:flush()
        streamer:flush()
        streamer:send_done({ n = 1 })
    end)
    local got = {}
    for index = 1, 4 do
        got[index] = channel:receive()
    end
    expect.same(got, {
        { type = "chunk", content = "abc." },
        { type = "chunk", content = "0123456789" },
        { type = "chunk", content = "rest" },
        { type = "done", meta = { n = 1 } },
    })
end
