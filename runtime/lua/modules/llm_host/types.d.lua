---@meta

---@class llm_host
local llm_host = {}

---@param request table
---@return table? answer
---@return Error? err
function llm_host.generate(request) end

---@param options? { model: string? }
---@return { model: string, provider: string, scripted: boolean, host: string, credential: string }? selection
---@return Error? err
function llm_host.select(options) end

return llm_host
