-- modules: json hash
local function add(a, b)
  return a + b
end
local function any(a, ...)
  return a, ...
end
local function later(a) return a end
later = add
add(1)
add(1, 2)
add(1, 2, 3) --> W0021
add(1, 2, add(1, 2))
add(1, any())
any(1, 2, 3, 4)
later(1, 2, 3)
json.decode() --> W0021
json.decode("{}", true) --> W0021
json.decode(any())
json.validate_string({}, "{}")
local encode = require("json").encode
encode({}, {}, {}) --> W0021
hash.sha256("text")
return { main = add }
