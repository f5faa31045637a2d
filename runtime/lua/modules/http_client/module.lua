-- HTTP requests. Command that the host offers:
--   call http_client.request {method: string, url: string, options: table} -> response
--     options, all optional and checked here: headers, query, cookies, form (tables of strings), body (string),
--       auth {user, pass}, timeout (seconds), max_response_body (bytes), follow_redirects (boolean)
--     response: {status_code, url, body, body_size, headers, cookies}; headers and cookies are tables of strings
--     raises PermissionDenied, Invalid, Timeout (retryable), Unavailable (retryable)
local host = ...

local MAX_BATCH = 64
local TABLES = { headers = true, query = true, cookies = true, form = true }
local KNOWN = {
  headers = "table", query = "table", cookies = "table", form = "table", body = "string", auth = "table",
  timeout = "timeout", max_response_body = "number", follow_redirects = "boolean",
}
-- Options of the field that this version does not have.
local ABSENT = { "stream", "files", "unix_socket", "overlay_network", "tls" }

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

-- A table of strings as a table of its own; numbers become text, as in a query {page = 2}.
local function strings(given, name)
  local result = {}
  for key, value in pairs(given) do
    if type(key) ~= "string" then
      return invalid("option `" .. name .. "`: keys must be strings")
    end
    if type(value) == "number" or type(value) == "boolean" then
      value = tostring(value)
    end
    if type(value) ~= "string" then
      return invalid("option `" .. name .. "`: value of `" .. key .. "` must be a string")
    end
    result[key] = value
  end
  return result
end

local function refused(given)
  for _, name in ipairs(ABSENT) do
    if given[name] ~= nil and given[name] ~= false then
      return "option `" .. name .. "` is not available in this version"
    end
  end
  return nil
end

local function read_options(given)
  if given == nil then
    return {}
  end
  if type(given) ~= "table" then
    return invalid("options must be a table, got " .. type(given))
  end
  local why = refused(given)
  if why then
    return invalid(why)
  end
  local options = {}
  for name, value in pairs(given) do
    local expected, err = KNOWN[name], nil
    if value == false and not expected then
      value, expected = nil, "nil" -- an absent option that is switched off
    end
    if not expected then
      return invalid("unknown option `" .. tostring(name) .. "`")
    elseif expected ~= "timeout" and type(value) ~= expected then
      return invalid("option `" .. name .. "` must be a " .. expected .. ", got " .. type(value))
    elseif expected == "timeout" then
      value, err = host.sync("timeout_seconds", value)
    elseif TABLES[name] then
      value, err = strings(value, name)
    end
    if err then
      return nil, err
    end
    options[name] = value
  end
  return options
end

local function request(method, url, options)
  if type(method) ~= "string" or method == "" or method:find("[^%a%-_]") then
    return invalid("method must be a word such as GET")
  end
  if type(url) ~= "string" or url == "" then
    return invalid("URL must be a string that is not empty")
  end
  local read, err = read_options(options)
  if not read then
    return nil, err
  end
  return host.call("http_client.request", { method = method:upper(), url = url, options = read })
end

local function fixed(method)
  return function(url, options)
    return request(method, url, options)
  end
end

local function batch(requests)
  if type(requests) ~= "table" or #requests == 0 then
    error("request_batch expects an array of {method, url, options?} that is not empty", 2)
  end
  if #requests > MAX_BATCH then
    return invalid("at most " .. MAX_BATCH .. " requests fit into one batch")
  end
  for index, item in ipairs(requests) do
    if type(item) ~= "table" then
      return invalid("request " .. index .. " must be a table {method, url, options?}")
    end
  end
  local responses, errors, failed = {}, {}, false
  local done = host.channel(#requests)
  for index, item in ipairs(requests) do
    host.spawn(function()
      local response, err = request(item[1], item[2], item[3])
      responses[index] = response or false
      errors[index] = err or false
      failed = failed or err ~= nil
      done:send(true)
    end)
  end
  for _ = 1, #requests do
    done:receive()
  end
  if failed then
    return responses, errors
  end
  return responses, nil
end

return {
  get = fixed("GET"),
  post = fixed("POST"),
  put = fixed("PUT"),
  delete = fixed("DELETE"),
  head = fixed("HEAD"),
  patch = fixed("PATCH"),
  request = request,
  request_batch = batch,
  encode_uri = function(text)
    return host.sync("encode_uri", text)
  end,
  decode_uri = function(text)
    return host.sync("decode_uri", text)
  end,
}
