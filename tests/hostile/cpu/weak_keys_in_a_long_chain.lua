-- The collector goes round once for each link: nothing inside the state could stop it.
-- containment: jail
-- jail: killed wall_clock
local weak, held, keys, chain = setmetatable({}, { __mode = "k" }), {}, {}, {}
for at = 1, 60000 do
  held[at] = {}
  weak[held[at]] = true
end
for key in pairs(weak) do keys[#keys + 1] = key end
local middle = #keys // 2
for at = 0, middle - 2 do
  chain[#chain + 1], chain[#chain + 2] = keys[middle + 1 + at], keys[middle - at]
end
for at = 1, #chain - 1 do weak[chain[at]] = chain[at + 1] end
local first = chain[1]
held, keys, chain = nil, nil, nil
while first do local _ = { {} } end
