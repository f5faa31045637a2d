-- Actors, scopes and policies. Objects carry ids and plain data only; the host decides. Commands that it offers:
--   call security.context () -> {actor: {id, meta} | nil, scope: {policies: string[]} | nil}
--   call security.can (action, resource, meta: table) -> boolean; false without an actor or a scope
--   call security.actor.create (id, meta) -> {id, meta}; raises PermissionDenied
--   call security.scope.create {ids: string[], how: "custom" | "with" | "without"} -> {policies: string[]}
--   call security.policy.get (id) -> {id}; raises Invalid where denied, Internal where there is none
--   call security.policy_group.get (id) -> {policies: string[]}; as before
--   call security.scope.evaluate {policies: string[], actor: {id, meta}, action, resource, meta}
--     -> "allow" | "deny" | "undefined"
--   call security.token_store.get (id) -> {id}; raises PermissionDenied, NotFound
--   call security.token.create (id, {actor: {id, meta}, policies: string[], expiration, meta}) -> token
--   call security.token.validate (id, token) -> {actor: {id, meta}, policies: string[], meta}; raises Invalid
--   call security.token.revoke (id, token) -> true; raises Invalid
local host = ...

local new_actor, actor_of
local new_policy, policy_of
local new_scope, scope_of

local function text(value, what, level)
  if type(value) ~= "string" or value == "" then
    error(what .. " must be a string that is not empty, got " .. type(value), level)
  end
  return value
end

local function table_or_empty(value, what, level)
  if value ~= nil and type(value) ~= "table" then
    error(what .. " must be a table, got " .. type(value), level)
  end
  return value or {}
end

local function self_of(state_of, self, name)
  local state = state_of(self)
  if not state then
    error("call this as a method of " .. name .. ", with `:`", 3)
  end
  return state
end

local function evaluate(policies, actor, action, resource, meta, what)
  local who = actor ~= nil and actor_of(actor) or nil
  if not who then
    error(what .. " expects an Actor first: see security.new_actor", 3)
  end
  return host.call("security.scope.evaluate", {
    policies = host.array(policies),
    actor = { id = who.id, meta = who.meta },
    action = text(action, "action", 4),
    resource = text(resource, "resource", 4),
    meta = table_or_empty(meta, "meta", 4),
  })
end

new_actor, actor_of = host.class("security.Actor", {
  methods = {
    id = function(self)
      return self_of(actor_of, self, "Actor").id
    end,
    meta = function(self)
      local copy = {}
      for key, value in next, self_of(actor_of, self, "Actor").meta do
        copy[key] = value
      end
      return copy
    end,
  },
  tostring = function(self)
    return "security.Actor{" .. actor_of(self).id .. "}"
  end,
  data = function(state)
    return { id = state.id, meta = state.meta }
  end,
})

new_policy, policy_of = host.class("security.Policy", {
  methods = {
    id = function(self)
      return self_of(policy_of, self, "Policy").id
    end,
    evaluate = function(self, actor, action, resource, meta)
      local state = self_of(policy_of, self, "Policy")
      return evaluate({ state.id }, actor, action, resource, meta, "policy:evaluate")
    end,
  },
  tostring = function(self)
    return "security.Policy{" .. policy_of(self).id .. "}"
  end,
  data = function(state)
    return { id = state.id }
  end,
})

-- The id of a policy given as object, as text or as {ns, name}.
local function policy_id(value, what, level)
  local state = value ~= nil and policy_of(value) or nil
  if state then
    return state.id
  end
  if type(value) == "table" and type(value.ns) == "string" and type(value.name) == "string" then
    return value.ns .. ":" .. value.name
  end
  return text(value, what, level + 1)
end

local function make_scope(ids, how)
  local answer, err = host.call("security.scope.create", { ids = host.array(ids), how = how })
  if not answer then
    return nil, err
  end
  return new_scope({ policies = answer.policies })
end

new_scope, scope_of = host.class("security.Scope", {
  methods = {
    with = function(self, policy)
      local ids = {}
      for index, id in ipairs(self_of(scope_of, self, "Scope").policies) do
        ids[index] = id
      end
      if policy == nil or not policy_of(policy) then
        error("scope:with expects a Policy: see security.policy", 2)
      end
      ids[#ids + 1] = policy_of(policy).id
      return make_scope(ids, "with")
    end,
    without = function(self, policy)
      local dropped, ids = policy_id(policy, "policy", 3), {}
      for _, id in ipairs(self_of(scope_of, self, "Scope").policies) do
        if id ~= dropped then
          ids[#ids + 1] = id
        end
      end
      return make_scope(ids, "without")
    end,
    evaluate = function(self, actor, action, resource, meta)
      local state = self_of(scope_of, self, "Scope")
      return evaluate(state.policies, actor, action, resource, meta, "scope:evaluate")
    end,
    contains = function(self, policy)
      local wanted = policy_id(policy, "policy", 3)
      for _, id in ipairs(self_of(scope_of, self, "Scope").policies) do
        if id == wanted then
          return true
        end
      end
      return false
    end,
    policies = function(self)
      local policies = {}
      for index, id in ipairs(self_of(scope_of, self, "Scope").policies) do
        policies[index] = new_policy({ id = id })
      end
      return policies
    end,
  },
  tostring = function(self)
    return "security.Scope{policies=" .. #scope_of(self).policies .. "}"
  end,
  data = function(state)
    return { policies = host.array(state.policies) }
  end,
})

local new_tokens, tokens_of

-- The state of a token store that is open; nil and an error once it was closed.
local function open_of(self)
  local state = tokens_of(self)
  if not state then
    error("call this as a method of TokenStore, with `:`", 3)
  end
  if state.closed then
    return nil, host.error("Internal", "token store is closed", nil, false)
  end
  return state
end

new_tokens, tokens_of = host.class("security.TokenStore", {
  methods = {
    create = function(self, actor, scope, options)
      local state, err = open_of(self)
      if not state then
        return nil, err
      end
      local who = actor ~= nil and actor_of(actor) or nil
      local held = scope ~= nil and scope_of(scope) or nil
      if not who or not held then
        error("tokens:create expects an Actor and a Scope", 2)
      end
      options = table_or_empty(options, "options", 3)
      return host.call("security.token.create", state.id, {
        actor = { id = who.id, meta = who.meta },
        policies = host.array(held.policies),
        expiration = options.expiration,
        meta = table_or_empty(options.meta, "meta", 3),
      })
    end,
    validate = function(self, token)
      local state, err = open_of(self)
      if not state then
        return nil, nil, err
      end
      local found
      found, err = host.call("security.token.validate", state.id, text(token, "token", 3))
      if not found then
        return nil, nil, err
      end
      local actor = new_actor({ id = found.actor.id, meta = found.actor.meta or {} })
      return actor, new_scope({ policies = found.policies or {} })
    end,
    revoke = function(self, token)
      local state, err = open_of(self)
      if not state then
        return nil, err
      end
      return host.call("security.token.revoke", state.id, text(token, "token", 3))
    end,
    close = function(self)
      local state = tokens_of(self)
      if state then
        state.closed = true
      end
      return true
    end,
  },
  tostring = function(self)
    return "security.TokenStore{" .. tokens_of(self).id .. "}"
  end,
})

return {
  actor = function()
    local context = host.call("security.context")
    local actor = context and context.actor
    return actor and new_actor({ id = actor.id, meta = actor.meta or {} }) or nil
  end,

  scope = function()
    local context = host.call("security.context")
    local scope = context and context.scope
    return scope and new_scope({ policies = scope.policies }) or nil
  end,

  can = function(action, resource, meta)
    text(action, "action", 3)
    text(resource, "resource", 3)
    return host.call("security.can", action, resource, table_or_empty(meta, "meta", 3)) == true
  end,

  new_actor = function(id, meta)
    text(id, "actor id", 3)
    local actor, err = host.call("security.actor.create", id, table_or_empty(meta, "meta", 3))
    if not actor then
      error(err, 0)
    end
    return new_actor({ id = actor.id, meta = actor.meta or {} })
  end,

  new_scope = function(policies)
    local ids = {}
    for index, policy in ipairs(table_or_empty(policies, "policies", 3)) do
      local state = policy_of(policy)
      if not state then
        error("new_scope expects an array of Policy objects: see security.policy", 2)
      end
      ids[index] = state.id
    end
    local scope, err = make_scope(ids, "custom")
    if not scope then
      error(err, 0)
    end
    return scope
  end,

  policy = function(id)
    local found, err = host.call("security.policy.get", text(id, "policy id", 3))
    if not found then
      return nil, err
    end
    return new_policy({ id = found.id })
  end,

  token_store = function(id)
    local found, err = host.call("security.token_store.get", text(id, "token store id", 3))
    if found then
      return new_tokens({ id = found.id, closed = false })
    end
    if err:kind() == "PermissionDenied" then
      error(err, 0)
    end
    return nil, err
  end,

  named_scope = function(id)
    local found, err = host.call("security.policy_group.get", text(id, "policy group id", 3))
    if not found then
      return nil, err
    end
    return new_scope({ policies = found.policies })
  end,
}
