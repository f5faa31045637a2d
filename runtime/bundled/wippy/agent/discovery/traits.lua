-- The traits that the registry declares: text and tools that several agents share.

local registry = require("registry")

local traits = {}

local TRAIT = "agent.trait"

local function trait_of(entry)
    local trait = {}
    for name, value in pairs(entry.data or {}) do
        trait[name] = value
    end
    trait.id = entry.id
    trait.name = entry.meta.name or registry.parse_id(entry.id).name
    trait.description = entry.meta.comment
    return trait
end

local function not_found(reference)
    return errors.new({ kind = errors.NOT_FOUND, message = "trait `" .. tostring(reference) .. "` not found" })
end

local function find(filter)
    filter["meta.type"] = TRAIT
    local entries, err = registry.find(filter)
    if err then
        return nil, err
    end
    table.sort(entries, function(left, right)
        return left.id < right.id
    end)
    local found = {}
    for index, entry in ipairs(entries) do
        found[index] = trait_of(entry)
    end
    return found
end

function traits.get_by_id(id)
    local entry, err = registry.get(id)
    if err then
        return nil, err
    end
    if not entry.meta or entry.meta.type ~= TRAIT then
        return nil, not_found(id)
    end
    return trait_of(entry)
end

function traits.get_by_name(name)
    local found, err = find({ ["meta.name"] = name })
    if err then
        return nil, err
    end
    if #found == 0 then
        return nil, not_found(name)
    end
    return found[1]
end

--- Returns all traits by id.
function traits.get_all()
    return find({})
end

--- Returns the trait that `reference` means: with a colon an id, else a name.
function traits.resolve(reference)
    if reference:find(":", 1, true) then
        return traits.get_by_id(reference)
    end
    return traits.get_by_name(reference)
end

return traits
