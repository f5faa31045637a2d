local agent_registry, agent_compiler, expect = require("agent_registry"), require("agent_compiler"), require("expect")

return function()
    local agent = agent_compiler.compile(agent_registry.get_by_name("helper"), { context = { user = "u", tenant = "t0" } })
    expect.same(agent.prompt, "Be of help.\n\nBe polite.\n\nCount aloud.")
    local names = {}
    for index, tool in ipairs(agent.tools) do
        names[index] = tool.name
    end
    expect.same(names, { "Tally", "count_words", "tally_marks", "word_count" })
    expect.same(agent.tools[2].context, { user = "u", tenant = "t1", unit = "words", agent_id = "case:helper" })
    expect.same(agent.missing_tools, {})
end
