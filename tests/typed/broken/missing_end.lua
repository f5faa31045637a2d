local function f(): number
  if true then
    return 1
