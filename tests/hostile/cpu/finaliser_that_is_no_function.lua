-- expect: error Internal `__gc` is not available in the sandbox
setmetatable({}, { __gc = true })
