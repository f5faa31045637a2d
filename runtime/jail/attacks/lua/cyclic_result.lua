-- wants: make the host follow a cycle
local ring = {}
ring.ring = ring
return ring
