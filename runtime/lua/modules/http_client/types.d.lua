---@meta

---@class http_client
local http_client = {}

---@class http_client.Options
---@field headers? table<string, string>
---@field query? table<string, string>
---@field cookies? table<string, string>
---@field form? table<string, string>
---@field body? string
---@field auth? { user: string, pass: string }
---@field timeout? number | string
---@field max_response_body? integer
---@field follow_redirects? boolean

---@class http_client.Response
---@field status_code integer
---@field url string
---@field body string
---@field body_size integer
---@field headers table<string, string>
---@field cookies table<string, string>

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err PermissionDenied, Invalid, Timeout or Unavailable
function http_client.get(url, options) end

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.post(url, options) end

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.put(url, options) end

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.delete(url, options) end

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.head(url, options) end

---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.patch(url, options) end

---@param method string
---@param url string
---@param options? http_client.Options
---@return http_client.Response? response
---@return Error? err
function http_client.request(method, url, options) end

---@param requests table[] each {method, url, options?}
---@return (http_client.Response | false)[]? responses
---@return (Error | false)[] | Error | nil errors
function http_client.request_batch(requests) end

---@param text string
---@return string? escaped
---@return Error? err Invalid
function http_client.encode_uri(text) end

---@param text string
---@return string? plain
---@return Error? err Invalid
function http_client.decode_uri(text) end

return http_client
