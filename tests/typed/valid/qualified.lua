local function now(): time.Time? return nil end
local deep: a.b.C<string> = nil
return now() == nil and deep == nil
