local text = require("text")
local check = require("check")

local BEFORE = "The quick brown fox jumps over the lazy dog"
local AFTER = "The quick red fox jumps over the lazy cat"

local function rebuilt(diffs, left_out)
  local parts = {}
  for _, diff in ipairs(diffs) do
    if diff.operation ~= left_out then
      parts[#parts + 1] = diff.text
    end
  end
  return table.concat(parts)
end

local function main()
  local differ = text.diff.new()
  local diffs = differ:compare("hello world", "hello there")
  check.eq({
    { operation = "equal", text = "hello " },
    { operation = "delete", text = "world" },
    { operation = "insert", text = "there" },
  }, diffs)
  check.eq({ equals = 6, deletions = 5, insertions = 5 }, differ:summarize(diffs))
  check.eq('<span>hello </span><del>world</del><ins>there</ins>', differ:pretty_html(diffs))
  check.eq("<ins>&lt;b&gt;&amp;&quot;</ins>", differ:pretty_html(differ:compare("", '<b>&"')))
  check.ok(differ:pretty_text(diffs):find("\27[31mworld\27[0m", 1, true))
  check.eq({ { operation = "equal", text = "same" } }, differ:compare("same", "same"))
  check.eq({}, differ:compare("", ""))
  check.eq({ equals = 0, deletions = 0, insertions = 0 }, differ:summarize({}))
  check.eq({ equals = 0, deletions = 0, insertions = 1 }, differ:summarize(differ:compare("", "\u{1F600}")))

  local fine = text.diff.new({ diff_edit_cost = 0 })
  local letters = fine:compare("hello world", "hello there")
  check.eq("hello world", rebuilt(letters, "insert"))
  check.eq("hello there", rebuilt(letters, "delete"))
  check.ok(#letters > 3)

  local patches = differ:patch_make(BEFORE, AFTER)
  check.eq(2, #patches)
  check.eq("@@ -7,13 +7,11 @@\n ick \n-brown\n+red\n  fox\n", patches[1].text)
  check.eq({ AFTER, true }, { differ:patch_apply(patches, BEFORE) })
  check.eq({ "Say: " .. AFTER, true }, { differ:patch_apply(patches, "Say: " .. BEFORE) })
  check.eq({ "nothing alike", false }, { differ:patch_apply(patches, "nothing alike") })
  local lines = { "a\nb%20 \u{e9}\n", "a\nc%20 \u{e9}\n+\n" }
  check.eq({ lines[2], true }, { differ:patch_apply(differ:patch_make(lines[1], lines[2]), lines[1]) })
  local near = text.diff.new({ match_distance = 2, match_threshold = 0.5 })
  check.eq(false, select(2, near:patch_apply(patches, "A long way before it: " .. BEFORE)))

  check.fails(errors.INVALID, "valid UTF-8", differ:compare("\255", "a"))
  check.fails(errors.INVALID, "must be a string", differ:compare(nil, "a"))
  check.fails(errors.INVALID, "limit", differ:compare(string.rep("a", 1000001), "a"))
  check.fails(errors.INVALID, "array that compare returns", differ:summarize("x"))
  check.fails(errors.INVALID, "each diff", differ:pretty_html({ { operation = "eval", text = "x" } }))
  check.fails(errors.INVALID, "each patch", differ:patch_apply({ "x" }, "text"))
  check.fails(errors.INVALID, "header", differ:patch_apply({ { text = "x" } }, "text"))
  check.fails(errors.INVALID, "unknown option `depth`", text.diff.new({ depth = 1 }))
  check.fails(errors.INVALID, "patch_margin", text.diff.new({ patch_margin = "4" }))
  check.fails(errors.INVALID, "must be a table", text.diff.new(5))
end

return { main = main }
