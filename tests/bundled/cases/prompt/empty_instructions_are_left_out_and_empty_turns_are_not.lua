local prompt, expect = require("prompt"), require("expect")

return function()
    expect.same(#prompt.with_system(""):add_developer(nil).messages, 0)
    expect.same(#prompt.new():add_user(""):add_assistant("").messages, 2)
    expect.same(prompt.new():add_cache_marker().messages, { { role = "cache_marker", marker_id = "default" } })
end
