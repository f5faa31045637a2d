local data: any = 1
local n: number = data :: string --! E0001
