local agent_context, expect = require("agent_context"), require("expect")

return function()
    local spec = { id = "inline", model = "swift" }
    expect.fails("delegates are not in this version", agent_context.new():add_delegates({ id = "x" }):load_agent(spec))
    expect.fails("memory contracts are not", agent_context.new({ memory_contract = {} }):load_agent(spec))
    expect.fails("delegates", agent_context.new({ delegate_tools = { enabled = true } }):load_agent(spec))
end
