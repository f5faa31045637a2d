-- What the cases check with. Each function raises with what was expected and what came.
local check = {}

local function show(value)
  if type(value) ~= "table" then
    return type(value) == "string" and string.format("%q", value) or tostring(value)
  end
  local keys, parts = {}, {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for index, key in ipairs(keys) do
    parts[index] = tostring(key) .. "=" .. show(value[key])
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, item in pairs(a) do
    if not same(item, b[key]) then
      return false
    end
  end
  for key in pairs(b) do
    if a[key] == nil then
      return false
    end
  end
  return true
end

-- `value` equals `expected`, tables by what they hold. A second result of a call, an error, is shown.
function check.eq(expected, value, err)
  if not same(value, expected) then
    error("expected " .. show(expected) .. ", got " .. show(value) .. (err and " and " .. tostring(err) or ""), 2)
  end
end

function check.ok(value, message)
  if not value then
    error(message and tostring(message) or "expected a true value", 2)
  end
end

-- The results of a call are nil (or false) and an error object of a kind whose message holds `part`; it is not one
-- that says to try again.
function check.fails(kind, part, value, err)
  if value ~= nil and value ~= false then
    error("expected a failure, got " .. show(value), 2)
  end
  if type(err) ~= "userdata" then
    error("expected an error object, got " .. show(err), 2)
  end
  if err:kind() ~= kind then
    error("expected kind " .. kind .. ", got " .. err:kind() .. ": " .. err:message(), 2)
  end
  if not err:message():find(part, 1, true) then
    error("expected a message with " .. show(part) .. ", got " .. show(err:message()), 2)
  end
  if err:retryable() then
    error("expected an error that can not be retried: " .. err:message(), 2)
  end
end

-- The call raises, and the message holds `part`.
function check.raises(part, fn, ...)
  local ok, err = pcall(fn, ...)
  if ok then
    error("expected an error with " .. show(part), 2)
  end
  if not tostring(err):find(part, 1, true) then
    error("expected an error with " .. show(part) .. ", got " .. show(tostring(err)), 2)
  end
end

return check
