local function first()
  type T = string
  return T
end
local function second()
  type T = number
  do
    type T = boolean
    assert(T:kind() == "boolean")
  end
  return T
end
assert(first():kind() == "string" and second():kind() == "number")
