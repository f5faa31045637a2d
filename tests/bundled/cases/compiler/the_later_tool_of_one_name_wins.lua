local agent_compiler, expect = require("agent_compiler"), require("expect")

return function()
    local agent = agent_compiler.compile({
        id = "x",
        tools = { "case.tools:tally", { id = "case.tools:word_count", alias = "Tally" } },
    })
    expect.same(#agent.tools, 1)
    expect.same(agent.tools[1].registry_id, "case.tools:word_count")
end
