---@meta

---@class text
local text = { regexp = {}, diff = {}, splitter = {} }

---@class text.Regexp
local Regexp = {}

---@param s string
---@return boolean
function Regexp:match_string(s) end

---@param s string
---@return string?
function Regexp:find_string(s) end

---@param s string
---@return string[]
function Regexp:find_all_string(s) end

---@param s string
---@return string[]?
function Regexp:find_string_submatch(s) end

---@param s string
---@return string[][]
function Regexp:find_all_string_submatch(s) end

---@param s string
---@return integer[]? first_and_last
function Regexp:find_string_index(s) end

---@param s string
---@return integer[][]?
function Regexp:find_all_string_index(s) end

---@param s string
---@param replacement string
---@return string
function Regexp:replace_all_string(s, replacement) end

---@param s string
---@param limit? integer
---@return string[]
function Regexp:split(s, limit) end

---@return integer
function Regexp:num_subexp() end

---@return string[]
function Regexp:subexp_names() end

---@return string
function Regexp:string() end

---@class text.Diff
---@field operation "equal" | "delete" | "insert"
---@field text string

---@class text.Differ
local Differ = {}

---@param before string
---@param after string
---@return text.Diff[]? diffs
---@return Error? err
function Differ:compare(before, after) end

---@param diffs text.Diff[]
---@return { equals: integer, deletions: integer, insertions: integer }? counts
---@return Error? err
function Differ:summarize(diffs) end

---@param diffs text.Diff[]
---@return string? shown
---@return Error? err
function Differ:pretty_text(diffs) end

---@param diffs text.Diff[]
---@return string? html
---@return Error? err
function Differ:pretty_html(diffs) end

---@param before string
---@param after string
---@return { text: string }[]? patches
---@return Error? err
function Differ:patch_make(before, after) end

---@param patches { text: string }[]
---@param s string
---@return string? result
---@return boolean | Error applied
function Differ:patch_apply(patches, s) end

---@class text.Splitter
local Splitter = {}

---@param s string
---@return string[]? chunks
---@return Error? err
function Splitter:split_text(s) end

---@param pages { content: string, metadata: table? }[]
---@return { content: string, metadata: table? }[]? chunks
---@return Error? err
function Splitter:split_batch(pages) end

---@param pattern string
---@return text.Regexp? regexp
---@return Error? err Invalid
function text.regexp.compile(pattern) end

---@param options? { diff_timeout: number?, diff_edit_cost: integer?, match_distance: integer?, patch_margin: integer? }
---@return text.Differ? differ
---@return Error? err Invalid
function text.diff.new(options) end

---@param options? { chunk_size: integer?, chunk_overlap: integer?, separators: string[]?, keep_separator: boolean? }
---@return text.Splitter? splitter
---@return Error? err Invalid
function text.splitter.recursive(options) end

---@param options? { chunk_size: integer?, chunk_overlap: integer?, code_blocks: boolean?, heading_hierarchy: boolean? }
---@return text.Splitter? splitter
---@return Error? err Invalid
function text.splitter.markdown(options) end

return text
