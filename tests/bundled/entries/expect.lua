-- Says what was expected and what came instead.

local json = require("json")

local expect = {}

local function shown(value)
    if type(value) == "table" then
        return json.encode(value) or "a table"
    end
    return tostring(value)
end

local function same(left, right)
    if type(left) ~= "table" or type(right) ~= "table" then
        return left == right
    end
    for key, value in pairs(left) do
        if not same(value, right[key]) then
            return false
        end
    end
    for key in pairs(right) do
        if left[key] == nil then
            return false
        end
    end
    return true
end

function expect.same(actual, expected, what)
    if not same(actual, expected) then
        error((what or "value") .. ": expected " .. shown(expected) .. ", got " .. shown(actual), 2)
    end
end

function expect.contains(text, part)
    if not tostring(text):find(part, 1, true) then
        error("expected `" .. tostring(text) .. "` to contain `" .. part .. "`", 2)
    end
end

-- `value, err` are the results of a call that must fail.
function expect.fails(part, value, err)
    if err == nil then
        error("expected a failure, got " .. shown(value), 2)
    end
    expect.contains(err, part)
end

return expect
