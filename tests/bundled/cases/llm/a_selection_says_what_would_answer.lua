local llm, expect = require("llm"), require("expect")

return function()
    expect.same(llm.selection("fast").model, "case:swift")
    expect.same(llm.status({ model = "fast" }).status, "configured")
    expect.fails("Model or class not found: none", llm.selection("none"))
end
