local function f(list: {{name: string?}}): string
    local all = ""
    for _, each in ipairs(list) do
        if not each.name then
            goto continue
        end
        all = all .. each.name
        ::continue::
    end
    return all
end
