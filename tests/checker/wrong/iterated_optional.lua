local function all(list: {number}?)
    for _, each in ipairs(list) do --! E0002
        print(each)
    end
end
