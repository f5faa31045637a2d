local called = 0
local function bump() called = called + 1 return bump end
local data: any = bump
local x = data :: any
(bump)()
local y = data as any
(bump)()
local before = data
type Late = {x: number}
(bump)()
return called == 3 and x == bump and y == bump and before == bump
