local agent_compiler, expect = require("agent_compiler"), require("expect")

return function()
    local agent = agent_compiler.compile({
        id = "x",
        prompt = "p",
        tools = { "case.tools:none", "case.tools:not_a_tool", 7, "case.tools:tally", { id = "case.none:*" } },
    })
    expect.same(#agent.tools, 1)
    local ids = {}
    for index, item in ipairs(agent.missing_tools) do
        ids[index] = item.id
    end
    expect.same(ids, { "case.tools:none", "case.tools:not_a_tool", "7" })
end
