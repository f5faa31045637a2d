function public(name: string): string
    return name
end
local s = public("a")
