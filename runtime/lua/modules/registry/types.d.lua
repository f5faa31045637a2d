---@meta

---@class registry
local registry = {}

---@class registry.Entry
---@field id string
---@field kind string
---@field meta table
---@field data any

---@class registry.Version
local Version = {}

---@return integer
function Version:id() end

---@return string
function Version:string() end

---@return registry.Version?
function Version:previous() end

---@return registry.Version?
function Version:next() end

---@class registry.Changes
local Changes = {}

---@param entry table
---@return registry.Changes? changes
---@return Error? err Invalid
function Changes:create(entry) end

---@param entry table
---@return registry.Changes? changes
---@return Error? err Invalid
function Changes:update(entry) end

---@param id string | { ns: string, name: string }
---@return registry.Changes? changes
---@return Error? err Invalid
function Changes:delete(id) end

---@return { kind: string, entry: table }[]
function Changes:ops() end

---@return registry.Version? version
---@return Error? err Invalid, PermissionDenied, Conflict or NotFound
function Changes:apply() end

---@class registry.Snapshot
local Snapshot = {}

---@return registry.Entry[]? entries
---@return Error? err
function Snapshot:entries() end

---@param id string
---@return registry.Entry? entry
---@return Error? err
function Snapshot:get(id) end

---@param filter? table
---@return registry.Entry[]? entries
---@return Error? err
function Snapshot:find(filter) end

---@param namespace string
---@return registry.Entry[]? entries
---@return Error? err
function Snapshot:namespace(namespace) end

---@return registry.Version
function Snapshot:version() end

---@return registry.Changes
function Snapshot:changes() end

---@class registry.History
local History = {}

---@return registry.Version[]? versions
---@return Error? err
function History:versions() end

---@param id integer
---@return registry.Version? version
---@return Error? err
function History:get_version(id) end

---@param version registry.Version
---@return registry.Snapshot? snapshot
---@return Error? err
function History:snapshot_at(version) end

---@param id string
---@return registry.Entry? entry
---@return Error? err NotFound or PermissionDenied
function registry.get(id) end

---@param filter? table
---@return registry.Entry[]? entries
---@return Error? err
function registry.find(filter) end

---@param id string
---@return { ns: string, name: string }
function registry.parse_id(id) end

---@return registry.Snapshot? snapshot
---@return Error? err
function registry.snapshot() end

---@param version integer | registry.Version
---@return registry.Snapshot? snapshot
---@return Error? err Invalid or NotFound
function registry.snapshot_at(version) end

---@return registry.Version? version
---@return Error? err
function registry.current_version() end

---@return registry.Version[]? versions
---@return Error? err
function registry.versions() end

---@return registry.History
function registry.history() end

---@param version integer | registry.Version
---@return boolean? ok
---@return Error? err
function registry.apply_version(version) end

---@param from table[]
---@param to table[]
---@return { kind: string, entry: table }[]? ops
---@return Error? err
function registry.build_delta(from, to) end

return registry
