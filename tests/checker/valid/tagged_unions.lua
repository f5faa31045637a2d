type LoadState =
    {status: "loading"}
    | {status: "loaded", data: {name: string}}
    | {status: "error", message: string}

local function render(state: LoadState): string
    if state.status == "loading" then
        return "loading"
    elseif state.status == "loaded" then
        return state.data.name
    elseif state.status == "error" then
        return state.message
    end
end
render({status = "loading"})
render({status = "error", message = "x"})
