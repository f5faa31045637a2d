local s: string = "a"
print(s:trim()) --! E0003
