local function main(flag: boolean): number
    return flag + 1 --! E0007
end
