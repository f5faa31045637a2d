type Config = {host: string, port?: number}
local function next_port(config: Config): number
    return config.port + 1 --! E0002
end
