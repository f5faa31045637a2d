local s: string = "a"
print(-s) --! E0007
