local function typeof(x) return 'mine' end
return typeof(1) == 'mine'
