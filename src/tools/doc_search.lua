-- Reads the documentation: one page by its path, or the pages that fit a query. The site is an entry, so that
-- another one can be named; which site may be asked is for the policies to say.

local http_client = require("http_client")
local registry = require("registry")

local SITE = "app:docs_base_url"
local MAX_CHARS = 8000
local MARKER = "\n... (truncated)"
local MAX_REASON = 300
local OPTIONS = { headers = { ["User-Agent"] = "micro-agi" } }

local function site()
    local entry, err = registry.get(SITE)
    if err then
        return nil, tostring(err)
    end
    local url = type(entry.data) == "table" and entry.data.url
    if type(url) ~= "string" or url == "" then
        return nil, "`" .. SITE .. "` has no `url`"
    end
    return (url:gsub("/+$", ""))
end

-- Cuts at a whole character of UTF-8.
local function shortened(body)
    if #body <= MAX_CHARS then
        return body
    end
    local stop = MAX_CHARS
    while stop > 0 and body:byte(stop + 1) & 0xC0 == 0x80 do
        stop = stop - 1
    end
    return body:sub(1, stop) .. MARKER
end

local function fetch(url)
    local response, err = http_client.get(url, OPTIONS)
    if err then
        return nil, tostring(err)
    end
    local body = response.body or ""
    if response.status_code ~= 200 then
        local reason = body:match("^[^\r\n]*"):sub(1, MAX_REASON)
        return nil, "HTTP " .. response.status_code .. (reason ~= "" and ": " .. reason or "")
    end
    return shortened(body)
end

-- Returns the path as it stands in a URL; one that leaves the documentation is refused.
local function encoded_path(path)
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == "." or part == ".." then
            return nil
        end
        parts[#parts + 1] = http_client.encode_uri(part)
    end
    return #parts > 0 and table.concat(parts, "/") or nil
end

local function read_page(base, path)
    local encoded = encoded_path(path)
    if not encoded then
        return { error = "`path` must be the path of a page, such as lua/core/time" }
    end
    local content, err = fetch(base .. "/path/en/" .. encoded)
    if err then
        return { error = err }
    end
    return { path = path, content = content }
end

local function search(base, query)
    local results, err = fetch(base .. "/search?q=" .. http_client.encode_uri(query))
    if err then
        return { error = err }
    end
    return { results = results }
end

local function is_text(value)
    return type(value) == "string" and value ~= ""
end

local function handler(input)
    local by_path = type(input) == "table" and is_text(input.path)
    if not by_path and not (type(input) == "table" and is_text(input.query)) then
        return { error = "give `path` (a page) or `query` (words to search for)" }
    end
    local base, err = site()
    if err then
        return { error = err }
    end
    return by_path and read_page(base, input.path) or search(base, input.query)
end

return { handler = handler }
