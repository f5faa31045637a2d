local llm, scripted, expect = require("llm"), require("scripted"), require("expect")

return function()
    scripted.fail("PermissionDenied", "the key was refused", { fatal = true })
    local answer, err = llm.generate("x", { model = "fast" })
    expect.same(answer, nil)
    expect.same(errors.is(err, errors.PERMISSION_DENIED), true)
    expect.same(err:details().fatal, true)
    expect.contains("Error: " .. err, "the key was refused")
end
