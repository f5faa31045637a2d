type Cat = {meows: boolean}
type Dog = {barks: boolean}
local function swims(pet: Cat | Dog): boolean
    return pet.swims --! E0003
end
