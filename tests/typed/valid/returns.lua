local function one(): number return 1 end
local function pair(): (number, string?) return 1, "a" end
local function bare(): string?, string? return nil, "no" end
local function none(): () end
local function many(): (string, ...number) return "x", 1, 2 end
local function grouped(): (number | string)? return nil end
local function back(): (number) -> number return function(x) return x end end
local a, b = pair()
return one() == 1 and a == 1 and b == "a" and select(2, bare()) == "no" and none() == nil
  and select("#", many()) == 3 and grouped() == nil and back()(5) == 5
