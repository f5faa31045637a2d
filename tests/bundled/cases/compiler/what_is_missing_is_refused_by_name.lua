local agent_compiler, expect = require("agent_compiler"), require("expect")

return function()
    expect.fails("has delegates, which is not in this version", agent_compiler.compile({ id = "x", delegates = { {} , {id = "y"} } }))
    expect.fails("a memory contract", agent_compiler.compile({ id = "x", memory_contract = { implementation_id = "m" } }))
    expect.fails("trait `case:clockwork` has a build function", agent_compiler.compile({ id = "x", traits = { "clockwork" } }))
    expect.fails("trait `time_aware` not found", agent_compiler.compile({ id = "x", traits = { "time_aware" } }))
    expect.same(agent_compiler.compile({ id = "x", delegates = {} }).id, "x")
end
