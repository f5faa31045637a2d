local text = require("text")
local check = require("check")

local LONG = string.rep("One two three four five. ", 40) .. "\n\n" .. string.rep("Six seven. ", 20)
local MARKDOWN = [[
# Guide

Intro words.

## Use

See [docs][d] for more.

```lua
local x = 1

local y = 2
```

| a | b |
|---|---|
| 1 | 2 |

[d]: http://example.com
]]

local function main()
  local splitter = text.splitter.recursive({ chunk_size = 100, chunk_overlap = 20 })
  local chunks = splitter:split_text(LONG)
  check.ok(#chunks > 8)
  for index, chunk in ipairs(chunks) do
    check.ok(utf8.len(chunk) <= 100, "chunk " .. index .. " is too long")
    check.ok(LONG:find(chunk, 1, true), "chunk " .. index .. " is no part of the text")
  end
  check.eq({ "short" }, splitter:split_text("short"))
  check.eq({}, splitter:split_text(""))
  check.eq({}, splitter:split_text("  \n\n "))
  check.eq({ "aaaa", "aaaa", "aa" }, text.splitter.recursive({ chunk_size = 4, chunk_overlap = 0 }):split_text("aaaaaaaaaa"))
  check.eq({ "\u{e9}\u{e9}", "\u{e9}" },
    text.splitter.recursive({ chunk_size = 2, chunk_overlap = 0 }):split_text("\u{e9}\u{e9}\u{e9}"))
  check.eq({ "a|b", "|c|d" },
    text.splitter.recursive({ chunk_size = 4, chunk_overlap = 0, separators = { "|" }, keep_separator = true }):split_text("a|b|c|d"))

  local pages = {
    { content = "First page", metadata = { page = 1 } }, { content = string.rep("word ", 40), metadata = { page = 2 } },
  }
  local batch = splitter:split_batch(pages)
  check.eq({ content = "First page", metadata = { page = 1 } }, batch[1])
  check.eq({ page = 2 }, batch[#batch].metadata)
  check.ok(#batch >= 3)

  local plain = text.splitter.markdown({ chunk_size = 60, chunk_overlap = 0 }):split_text(MARKDOWN)
  check.eq("# Guide\n\nIntro words.", plain[1])
  local whole = text.splitter.markdown({
    chunk_size = 30, chunk_overlap = 0, code_blocks = true, join_table_rows = true, heading_hierarchy = true,
    reference_links = true,
  }):split_text(MARKDOWN)
  local all = table.concat(whole, "\n====\n")
  check.ok(all:find("```lua\nlocal x = 1\n\nlocal y = 2\n```", 1, true), all)
  check.ok(all:find("| a | b |\n|---|---|\n| 1 | 2 |", 1, true), all)
  check.ok(all:find("# Guide\n## Use", 1, true), all)
  check.ok(all:find("[d]: http://example.com", 1, true), all)

  check.fails(errors.INVALID, "chunk_size", text.splitter.recursive({ chunk_size = 0 }))
  check.fails(errors.INVALID, "chunk_overlap", text.splitter.recursive({ chunk_size = 10, chunk_overlap = 10 }))
  check.fails(errors.INVALID, "unknown option `size`", text.splitter.markdown({ size = 10 }))
  check.fails(errors.INVALID, "separators", text.splitter.recursive({ separators = "x" }))
  check.fails(errors.INVALID, "must be a table", text.splitter.recursive("x"))
  check.fails(errors.INVALID, "valid UTF-8", splitter:split_text("\255"))
  check.fails(errors.INVALID, "must be a string", splitter:split_text(nil))
  check.fails(errors.INVALID, "page 2", splitter:split_batch({ { content = "x" }, {} }))
  check.fails(errors.INVALID, "chunks", text.splitter.recursive({ chunk_size = 1, chunk_overlap = 0 }):split_text(string.rep("a", 100001)))
end

return { main = main }
