local function f(): number
    return "10" + 5
end
