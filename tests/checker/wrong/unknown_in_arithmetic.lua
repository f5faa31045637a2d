local u: unknown = 1
print(u + 1) --! E0007
