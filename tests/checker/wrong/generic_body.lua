local function same<T>(x: T): T
    return 1 --! E0001
end
