local n: number = 1
print(#n) --! E0007
