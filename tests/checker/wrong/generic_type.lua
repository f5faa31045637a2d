type Box<T> = {value: T}
local box: Box<number> = {value = "x"} --! E0001
