local function f(name: string?): () -> string
    if not name then
        return function(): string return "" end
    end
    return function(): string
        return name:upper()
    end
end
