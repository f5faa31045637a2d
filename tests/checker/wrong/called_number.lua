local n: number = 1
n() --! E0005
