type Mode = "fast" | 'safe' | [[long
text]] | 3 | -2.5 | 0x10 | true | false | nil
local mode: Mode = "fast"
return mode == "fast"
