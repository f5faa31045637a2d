local llm, expect = require("llm"), require("expect")

return function()
    local names = {}
    for index, model in ipairs(llm.available_models("tool_use")) do
        names[index] = model.name
    end
    expect.same(names, { "gpt-5.1", "gpt-4.1-nano" })
    expect.same(#llm.available_models(), 3)
    local classes = {}
    for index, class in ipairs(llm.get_classes()) do
        classes[index] = class.name
    end
    expect.same(classes, { "fast", "reasoning" })
end
