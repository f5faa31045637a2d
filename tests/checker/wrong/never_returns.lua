local function stop(message: string): never
    print(message)
end --! E0006
