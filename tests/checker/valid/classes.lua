local Builder = {}
Builder.__index = Builder

function Builder.new(name: string): any
    local self = setmetatable({}, Builder)
    self.name = name
    return self
end

function Builder:with(key: string, value: any): any
    self[key] = value
    return self
end

function Builder:build(): {string}
    local out = {}
    out[1] = self.name
    self:with("done", true):with("x")
    return out
end

local parts = Builder.new("a"):with("b", 1):build()
return Builder
