-- Which models the registry declares, by name and by class. Only what the caller may read is found.

local registry = require("registry")

local models = {}

local MODEL, CLASS = "llm.model", "llm.model.class"

local function has(list, wanted)
    if type(list) ~= "table" then
        return false
    end
    for _, item in ipairs(list) do
        if item == wanted then
            return true
        end
    end
    return false
end

local function card(entry)
    local meta, data = entry.meta or {}, entry.data or {}
    return {
        id = entry.id,
        name = meta.name or registry.parse_id(entry.id).name,
        title = meta.title,
        description = meta.comment,
        capabilities = meta.capabilities or {},
        class = meta.class or {},
        priority = meta.priority or 0,
        max_tokens = data.max_tokens,
        output_tokens = data.output_tokens,
        dimensions = data.dimensions,
        pricing = data.pricing,
        providers = data.providers or {},
    }
end

-- Higher priority first; equal ones by name, so that the choice is the same on every run.
local function before(left, right)
    if left.priority ~= right.priority then
        return left.priority > right.priority
    end
    return left.name < right.name
end

local function select_cards(accepts)
    local entries, err = registry.find({ ["meta.type"] = MODEL })
    if err then
        return nil, err
    end
    local found = {}
    for _, entry in ipairs(entries) do
        local item = card(entry)
        if accepts(item) then
            found[#found + 1] = item
        end
    end
    table.sort(found, before)
    return found
end

--- Returns all models, or those with the capability.
function models.get_all(capability)
    return select_cards(function(item)
        return capability == nil or has(item.capabilities, capability)
    end)
end

--- Returns the model with the name, nil where there is none.
function models.get_by_name(name)
    local found, err = select_cards(function(item)
        return item.name == name
    end)
    if err then
        return nil, err
    end
    return found[1]
end

--- Returns the models of the class, the one to take first.
function models.get_by_class(class)
    return select_cards(function(item)
        return has(item.class, class)
    end)
end

local function not_found(reference)
    return errors.new({ kind = errors.NOT_FOUND, message = "Model or class not found: " .. tostring(reference) })
end

--- Returns the model that `reference` means: `class:x` is a class, anything else a name and then a class.
function models.resolve(reference)
    local class = tostring(reference):match("^class:(.+)$")
    if not class then
        local item, err = models.get_by_name(reference)
        if item or err then
            return item, err
        end
    end
    local found, err = models.get_by_class(class or reference)
    if err then
        return nil, err
    end
    if #found == 0 then
        return nil, not_found(reference)
    end
    return found[1]
end

local function declared_classes()
    local entries, err = registry.find({ ["meta.type"] = CLASS })
    if err then
        return nil, err
    end
    local by_name = {}
    for _, entry in ipairs(entries) do
        local meta = entry.meta or {}
        local name = meta.name or registry.parse_id(entry.id).name
        by_name[name] = { id = entry.id, name = name, title = meta.title or name, description = meta.comment }
    end
    return by_name
end

--- Returns the classes that are declared or that a model says it belongs to, by name.
function models.get_classes()
    local by_name, err = declared_classes()
    if err then
        return nil, err
    end
    local all, models_err = models.get_all()
    if models_err then
        return nil, models_err
    end
    for _, item in ipairs(all) do
        for _, name in ipairs(item.class) do
            by_name[name] = by_name[name] or { name = name, title = name }
        end
    end
    local classes = {}
    for _, class in pairs(by_name) do
        classes[#classes + 1] = class
    end
    table.sort(classes, function(left, right)
        return left.name < right.name
    end)
    return classes
end

return models
