local function run(work: (() -> number)?): number
    return work() --! E0002
end
