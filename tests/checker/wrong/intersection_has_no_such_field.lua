type Named = {name: string}
type Aged = {age: number}
local function show(p: Named & Aged): string
    return p.title --! E0003
end
