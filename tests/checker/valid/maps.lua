local ages: {[string]: number} = {ann = 1, ["bob"] = 2}
ages.cid = 3
ages["dan"] = nil
local key = "eve"
ages[key] = 4
local n: number = ages[key] + ages.ann
for name, age in pairs(ages) do
    print(name:upper(), age + 1)
end
local mixed: {kind: string, [string]: string} = {kind = "a", other = "b"}
print(mixed.kind, mixed.another:upper())
