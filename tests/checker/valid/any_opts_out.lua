local a: any = {}
a.foo.bar.baz()
a = 1
local n: number = a
local s: string = a.x .. a:y()
for _, each in ipairs(a) do
    s = each
end
