-- expect: value "nil"
local print_it = tostring
do
  local _ENV = { leak = true }
  leak = "mine"
end
return print_it(rawget(_G, "leak"))
