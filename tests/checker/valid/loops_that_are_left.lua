local function f(list: {number}): number
    while true do
        if #list > 0 then
            return list[1]
        end
        print("again")
    end
end
