type Config = {name?: string, inner?: {port?: number}}
local function f(config: Config): number
    if config.name then
        print(config.name:upper())
    end
    if config.inner and config.inner.port then
        return config.inner.port + 1
    end
    return 0
end
