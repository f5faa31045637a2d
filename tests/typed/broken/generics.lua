local function f<T (x: T) end
