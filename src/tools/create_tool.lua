-- Writes a tool into the registry. The denylist of the application stops what concerns the agent itself; whether
-- the change is allowed, compiles and has the owner's consent is decided where changes are applied, not here.

local registry = require("registry")
local security = require("security")
local tool_request = require("tool_request")

local SCOPE = "app:agent_security"
local ACTOR = "service:agent"
local OWN_TOOLS = "app.tools"

-- Returns why the denylist stops the action, or nil. Only a deny does: what it says nothing about goes on.
local function denied(action, id)
    local ok, actor = pcall(security.new_actor, ACTOR, { role = "agent" })
    if not ok then
        return "the denylist could not be asked: " .. tostring(actor)
    end
    local scope, err = security.named_scope(SCOPE)
    if err then
        return "the denylist could not be asked: " .. tostring(err)
    end
    if scope:evaluate(actor, action, id) == "deny" then
        return "policy denied: " .. action .. " on " .. id
    end
    return nil
end

-- Two tools of one name: the model would call one of them for the other.
local function shadows(request)
    local entries, err = registry.find({ [".ns"] = OWN_TOOLS, ["meta.type"] = "tool" })
    if err then
        return tostring(err)
    end
    for _, entry in ipairs(entries) do
        if entry.meta.llm_alias == request.name and entry.id ~= request.id then
            return "the name `" .. request.name .. "` is that of the tool " .. entry.id .. "; choose another one"
        end
    end
    return nil
end

-- Returns "create" or "update", or nil and an error.
local function action_for(id)
    local _, err = registry.get(id)
    if not err then
        return "update"
    end
    if errors.is(err, errors.NOT_FOUND) then
        return "create"
    end
    return nil, err
end

local function entry_for(request)
    return {
        id = request.id,
        kind = "function.lua",
        meta = {
            type = "tool",
            title = request.name,
            comment = request.description,
            input_schema = request.input_schema,
            llm_alias = request.name,
            llm_description = request.description,
        },
        data = { source = request.source, modules = request.modules, method = "handler" },
    }
end

-- Applies the change; returns nil or an error.
local function write(action, entry)
    local snapshot, err = registry.snapshot()
    if err then
        return err
    end
    local changes = snapshot:changes()
    local _, change_err = changes[action](changes, entry)
    if change_err then
        return change_err
    end
    local _, apply_err = changes:apply()
    return apply_err
end

local function handler(input)
    local request, wrong = tool_request.read(input)
    if wrong then
        return { error = wrong }
    end
    local action, read_err = action_for(request.id)
    wrong = denied(action or "create", request.id) or shadows(request)
    if wrong then
        return { error = wrong }
    end
    if read_err then
        return { error = tostring(read_err) }
    end
    local err = write(action, entry_for(request))
    if err then
        return { error = "nothing was written: " .. tostring(err) }
    end
    return { id = request.id, [action .. "d"] = true }
end

return { handler = handler }
