local count: number, name: string = 1, "x"
local unset: {string}
local total <const>: integer = 3
local other: integer <const> = 4
local scoped: any <close> = nil
(function() count = count + 1 end)()
return count == 2 and name == "x" and unset == nil and total + other == 7 and scoped == nil
