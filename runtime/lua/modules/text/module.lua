-- Regular expressions, differences and splitting. The objects hold patterns and options; the host does the work.
local host = ...

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function own(state_of, self, name)
  local state = state_of(self)
  if not state then
    error("call this as a method of a " .. name .. ", with `:`", 3)
  end
  return state
end

local function text(value, what)
  if type(value) ~= "string" then
    error(what .. " expects a string, got " .. type(value), 3)
  end
  return value
end

-- Regular expressions -----------------------------------------------------------------------------------------

local new_regexp, regexp_of

local function search(name)
  return function(self, subject)
    local state = own(regexp_of, self, "Regexp")
    return host.sync(name, state.pattern, text(subject, "regexp"))
  end
end

new_regexp, regexp_of = host.class("text.Regexp", {
  methods = {
    match_string = search("match_string"),
    find_string = search("find"),
    find_all_string = search("find_all"),
    find_string_submatch = search("find_submatch"),
    find_all_string_submatch = search("find_all_submatch"),
    find_string_index = search("find_index"),
    find_all_string_index = search("find_all_index"),

    replace_all_string = function(self, subject, replacement)
      local state = own(regexp_of, self, "Regexp")
      subject = text(subject, "replace_all_string")
      return host.sync("replace_all", state.pattern, subject, text(replacement, "replace_all_string"))
    end,

    split = function(self, subject, limit)
      local state = own(regexp_of, self, "Regexp")
      local most = limit == nil and -1 or (type(limit) == "number" and math.tointeger(limit)) or nil
      if not most then
        error("split: the limit must be a whole number", 2)
      end
      return host.sync("split", state.pattern, text(subject, "split"), most)
    end,

    num_subexp = function(self)
      return own(regexp_of, self, "Regexp").groups
    end,

    subexp_names = function(self)
      local names = {}
      for index, name in ipairs(own(regexp_of, self, "Regexp").names) do
        names[index] = name
      end
      return names
    end,

    string = function(self)
      return own(regexp_of, self, "Regexp").pattern
    end,
  },
  tostring = function(self)
    return regexp_of(self).pattern
  end,
})

local function compile(pattern)
  local found, err = host.sync("compile", pattern)
  if not found then
    return nil, err
  end
  return new_regexp({ pattern = pattern, groups = found.groups, names = found.names })
end

-- Differences -------------------------------------------------------------------------------------------------

local DIFF_OPTIONS = { diff_timeout = 1.0, diff_edit_cost = 4, match_distance = 1000, patch_margin = 4 }
-- Options of the field that change nothing here: places are found by equal text, not by likeness.
local WITHOUT_EFFECT = { match_threshold = true, patch_delete_threshold = true }

local new_differ, differ_of

new_differ, differ_of = host.class("text.Differ", {
  methods = {
    compare = function(self, before, after)
      local options = own(differ_of, self, "Differ")
      return host.sync("compare", before, after, options.diff_timeout, options.diff_edit_cost)
    end,

    summarize = function(self, diffs)
      own(differ_of, self, "Differ")
      return host.sync("summarize", diffs)
    end,

    pretty_text = function(self, diffs)
      own(differ_of, self, "Differ")
      return host.sync("pretty_text", diffs)
    end,

    pretty_html = function(self, diffs)
      own(differ_of, self, "Differ")
      return host.sync("pretty_html", diffs)
    end,

    patch_make = function(self, before, after)
      local options = own(differ_of, self, "Differ")
      return host.sync(
        "patch_make", before, after, options.diff_timeout, options.diff_edit_cost, options.patch_margin
      )
    end,

    patch_apply = function(self, patches, subject)
      local answer, err = host.sync("patch_apply", patches, subject, own(differ_of, self, "Differ").match_distance)
      if not answer then
        return nil, err
      end
      return answer[1], answer[2]
    end,
  },
})

local function new_diff(options)
  if options ~= nil and type(options) ~= "table" then
    return invalid("options must be a table, got " .. type(options))
  end
  local state = {}
  for name, default in next, DIFF_OPTIONS do
    state[name] = default
  end
  for name, value in next, options or {} do
    if not DIFF_OPTIONS[name] and not WITHOUT_EFFECT[name] then
      return invalid("unknown option `" .. tostring(name) .. "`")
    end
    local number = type(value) == "number" and value >= 0 and value <= 1000000 and value or nil
    if not number or (name ~= "diff_timeout" and DIFF_OPTIONS[name] and not math.tointeger(number)) then
      return invalid("option `" .. name .. "` must be a number from 0 to 1000000, whole but for diff_timeout")
    end
    state[name] = name == "diff_timeout" and number or math.tointeger(number)
  end
  return new_differ(state)
end

-- Splitting ---------------------------------------------------------------------------------------------------

local new_splitter, splitter_of

local function split_batch(self, pages)
  local state = own(splitter_of, self, "Splitter")
  if type(pages) ~= "table" then
    return invalid("pages must be an array of {content, metadata}")
  end
  local found = {}
  for index, page in ipairs(pages) do
    if type(page) ~= "table" or type(page.content) ~= "string" then
      return invalid("page " .. index .. " must be a table with a `content`")
    end
    local chunks, err = host.sync(state.split, page.content, state.options)
    if not chunks then
      return nil, err
    end
    for _, chunk in ipairs(chunks) do
      found[#found + 1] = { content = chunk, metadata = page.metadata }
    end
  end
  return found
end

new_splitter, splitter_of = host.class("text.Splitter", {
  methods = {
    split_text = function(self, subject)
      local state = own(splitter_of, self, "Splitter")
      return host.sync(state.split, subject, state.options)
    end,
    split_batch = split_batch,
  },
})

local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local result = {}
  for key, item in next, value do
    result[key] = type(item) == "table" and table.move(item, 1, #item, 1, {}) or item
  end
  return result
end

local function splitter(split)
  return function(options)
    options = copy(options)
    local _, err = host.sync("check_options", options)
    if err then
      return nil, err
    end
    return new_splitter({ split = split, options = options })
  end
end

return {
  regexp = { compile = compile },
  diff = { new = new_diff },
  splitter = { recursive = splitter("split_recursive"), markdown = splitter("split_markdown") },
}
