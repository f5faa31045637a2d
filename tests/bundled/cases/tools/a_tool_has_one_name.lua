local agent_tools, expect = require("agent_tools"), require("expect")

return function()
    for id, name in pairs({
        ["a.b:Get-Weather"] = "get_weather",
        ["a:HTTPGet"] = "httpget",
        ["a:getHTTP"] = "get_http",
        ["a:v2Beta"] = "v2_beta",
        ["a:__x__y"] = "x_y",
        ["a:dir.last"] = "last",
    }) do
        expect.same(agent_tools.sanitize_name(id), name, id)
    end
    expect.same(agent_tools.get_tool_schema("case.tools:tally").name, "Tally", "an alias is taken as it is")
    expect.same(agent_tools.resolve_name_to_id("tally_marks"), "case.tools:TallyMarks")
    expect.fails("no tool has the name `none`", agent_tools.resolve_name_to_id("none"))
end
