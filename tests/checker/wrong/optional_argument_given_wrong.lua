local function page(size: number?): number
    return size or 10
end
page("big") --! E0001
