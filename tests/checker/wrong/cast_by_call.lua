local data: any = 1
local n: number = string(data) --! E0001
