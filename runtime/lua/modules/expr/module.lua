-- Expressions. A program holds its text; the host compiles it, keeps it, and evaluates it.
local host = ...

local function text(value, what)
  if type(value) ~= "string" then
    error(what .. ": the expression must be a string, got " .. type(value), 3)
  end
  return value
end

local function names(value, what)
  if value ~= nil and type(value) ~= "table" then
    error(what .. ": the environment must be a table, got " .. type(value), 3)
  end
  return value
end

local new_program, program_of

new_program, program_of = host.class("expr.Program", {
  methods = {
    run = function(self, env)
      local program = program_of(self)
      if not program then
        error("call this as a method of a Program, with `:`", 2)
      end
      return host.sync("evaluate", program.text, names(env, "run"))
    end,
  },
})

return {
  eval = function(expression, env)
    return host.sync("evaluate", text(expression, "eval"), names(env, "eval"))
  end,

  compile = function(expression, env)
    local ok, err = host.sync("check", text(expression, "compile"), names(env, "compile"))
    if not ok then
      return nil, err
    end
    return new_program({ text = expression })
  end,
}
