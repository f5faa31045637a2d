local flag: boolean = true
local s: string = "is " .. flag --! E0007
