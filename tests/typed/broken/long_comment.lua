--[[ open
return 1
