local function f(
  a: number,
  b:
) --> P0001
end
return f
