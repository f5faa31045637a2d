local changes = registry.snapshot():changes()
local id = "made:" .. given.unique
changes:create({ id = id, kind = "function.lua", meta = {}, data = { source = "return { run = print }", method = "run" } })
return changes:apply()
