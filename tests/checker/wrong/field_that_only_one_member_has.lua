type Loading = {status: "loading"}
type Done = {status: "done", data: string}
local function show(state: Loading | Done): string
    return "got " .. state.data --! E0002
end
