local models, expect = require("models"), require("expect")

return function()
    expect.same(models.resolve("gpt-4.1-nano").id, "app:gpt-4.1-nano")
    expect.same(models.resolve("fast").id, "case:swift", "the higher priority of the class")
    expect.same(models.resolve("class:reasoning").id, "app:gpt-5.1")
    expect.fails("Model or class not found: class:gpt-5.1", models.resolve("class:gpt-5.1"))
    expect.fails("Model or class not found: nothing", models.resolve("nothing"))
    local _, err = models.resolve("nothing")
    expect.same(errors.is(err, errors.NOT_FOUND), true)
end
