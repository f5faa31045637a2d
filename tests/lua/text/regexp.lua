local text = require("text")
local check = require("check")

local function compile(pattern)
  local re, err = text.regexp.compile(pattern)
  check.ok(re, err)
  return re
end

local function main()
  local digits = compile("[0-9]+")
  check.eq(true, digits:match_string("hello123"))
  check.eq(false, digits:match_string("hello"))
  check.eq("123", digits:find_string("hello123world456"))
  check.eq(nil, digits:find_string("hello"))
  check.eq({ "1", "2", "3" }, digits:find_all_string("a1b2c3"))
  check.eq({}, digits:find_all_string("none"))
  check.eq("aXbXcX", digits:replace_all_string("a1b2c3", "X"))
  check.eq({ 0, "[0-9]+", "[0-9]+" }, { digits:num_subexp(), digits:string(), tostring(digits) })

  local pair = compile("(?P<name>[a-z]+)(?P<num>[0-9]+)?")
  check.eq({ "", "name", "num" }, pair:subexp_names())
  check.eq({ "hello123", "hello", "123" }, pair:find_string_submatch("hello123world"))
  check.eq({ "hello", "hello", "" }, pair:find_string_submatch("hello"))
  check.eq({ { "a1", "a", "1" }, { "b", "b", "" } }, pair:find_all_string_submatch("a1 b"))
  check.eq("1=a$ =b$", pair:replace_all_string("a1 b", "${num}=$1$$"))
  check.eq(" ", pair:replace_all_string("a1 b", "$none"))

  local content = "The page1, \u{e9}page2"
  local found = compile("page\\d")
  check.eq({ 5, 9 }, found:find_string_index(content))
  check.eq({ { 5, 9 }, { 14, 18 } }, found:find_all_string_index(content))
  check.eq("page2", content:sub(14, 18))
  check.eq(nil, found:find_string_index("none"))
  check.eq(nil, found:find_all_string_index("none"))

  local comma = compile(",")
  check.eq({ "a", "b", "c" }, comma:split("a,b,c"))
  check.eq({ "a", "b", "c" }, comma:split("a,b,c", -1))
  check.eq({ "a", "b,c,d" }, comma:split("a,b,c,d", 2))
  check.eq({}, comma:split("a,b", 0))
  check.eq({ "" }, comma:split(""))
  check.eq({ "a", "", "b", "" }, comma:split("a,,b,"))
  check.eq({ "a", "b" }, compile(""):split("ab"))
  check.eq({ "", "aa", "" }, compile("a*"):find_all_string("baac"))
  check.eq({ "\255" }, compile("[^a]"):find_all_string("a\255"))

  for _, pattern in ipairs({ "[invalid", "(?P<>)", "*", "(?=a)", "\\", "a{2000}" }) do
    check.fails(errors.INVALID, "regexp", text.regexp.compile(pattern))
  end
  check.fails(errors.INVALID, "must be a string", text.regexp.compile(nil))
  check.fails(errors.INVALID, "limit", text.regexp.compile(string.rep("a", 70000)))
  check.raises("expects a string", digits.match_string, digits, nil)
  check.raises("method of a Regexp", digits.match_string, "x", "y")

  -- Linear time, and bounded results.
  check.eq(false, compile("^(a+)+$"):match_string(string.rep("a", 1000000) .. "b"))
  check.fails(errors.INVALID, "matches", compile("a"):find_all_string(string.rep("a", 100001)))
  check.fails(errors.INVALID, "result", compile("a"):replace_all_string(string.rep("a", 20000), string.rep("b", 1000)))
end

return { main = main }
