-- wants: find an object of the host in its environment
-- modules: env, time, json, text, crypto
local seen = {}
local function search(value, path, depth)
  if type(value) == "userdata" then error("WON " .. path) end
  if type(value) ~= "table" or seen[value] or depth > 6 then return end
  seen[value] = true
  for key, item in pairs(value) do
    search(key, path, depth + 1)
    search(item, path .. "." .. tostring(key), depth + 1)
  end
  search(getmetatable(value), path .. ".meta", depth + 1)
end
local ok, failure = pcall(search, _G, "_G", 0)
return not ok and tostring(failure):find("WON") and tostring(failure)
