local M = {version = 1}
type Options = {limit?: number}

function M.find(text: string, options: Options?): ({string}, string?)
    local limit = options and options.limit or 10
    local out: {string} = {}
    if limit > 0 then
        out[1] = text
    end
    return out, nil
end

M.again = function(text: string): {string}
    local found, err = M.find(text)
    if err then
        return {}
    end
    return found
end

M.version = 2
M.Options = Options
return M
