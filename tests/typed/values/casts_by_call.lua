assert(string("x") == "x" and string(5) == "5" and number("2.5") == 2.5 and integer("3") == 3)
assert(math.type(integer(3.0)) == "integer" and boolean(false) == false and number(7) == 7)
for _, case in ipairs({ { string, nil }, { string, true }, { string, {} }, { integer, 1.5 }, { integer, "x" },
  { number, "x" }, { number, nil }, { boolean, 1 }, { boolean, nil } }) do
  local ok, err = pcall(case[1], case[2])
  assert(not ok and err:kind() == errors.INVALID, tostring(case[2]))
end
says(select(2, pcall(string, nil)), "expected string, got nil")
assert(string.upper("x") == "X" and ("x"):rep(2) == "xx" and type(string) == "table")
