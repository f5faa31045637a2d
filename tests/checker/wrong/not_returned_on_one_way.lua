local function sign(n: number): string
    if n > 0 then
        return "plus"
    elseif n < 0 then
        return "minus"
    end
end --! E0006
