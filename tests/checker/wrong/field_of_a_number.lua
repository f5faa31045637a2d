local n: number = 1
print(n.value) --! E0003
