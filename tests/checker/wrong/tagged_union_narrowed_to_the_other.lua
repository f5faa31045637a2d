type Loading = {status: "loading"}
type Done = {status: "done", data: string}
local function show(state: Loading | Done): string
    if state.status == "loading" then
        return state.data --! E0003
    end
    return state.data
end
