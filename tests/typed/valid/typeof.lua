local sample = { a = 1 }
type Sample = typeof(sample)
local function copy(): typeof(sample) return sample end
local module: typeof(require("nothing").field[1]) = nil
return copy().a == 1 and module == nil
