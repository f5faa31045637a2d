local function shout(text: string?): string
    return text:upper() --! E0002
end
