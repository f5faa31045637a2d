local agent_tools, expect = require("agent_tools"), require("expect")

return function()
    expect.same(agent_tools.get_tool_schema("case.tools:word_count").schema, {
        type = "object",
        properties = { text = { type = "string" } },
    })
    local bare = agent_tools.get_tool_schema("case.tools:TallyMarks")
    expect.same(bare.schema.properties.placeholder.type, "object")
    expect.same(bare.description, "Draws marks.")
    expect.fails("is not a tool", agent_tools.get_tool_schema("case.tools:not_a_tool"))
    expect.fails("not found", agent_tools.get_tool_schema("case.tools:none"))
end
