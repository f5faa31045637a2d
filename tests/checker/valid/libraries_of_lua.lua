local s: string = ("x"):rep(3):upper()
local n: number = math.floor(1.5) + math.huge + #s
local i: integer = math.floor(2.5)
local joined: string = table.concat({"a"}, ",")
local start, stop = s:find("x")
local word: string = s:match("%w+")
for each in s:gmatch("%w") do
    print(each:upper())
end
print(string.format("%d", n), tonumber("1") + 1, select("#", 1, 2), pcall(error, "x"))
local ok, result = pcall(function() return 1 end)
local t = setmetatable({}, {__index = function() return 1 end})
print(t.anything + 1, ok, result, start, stop, word, i, joined)
