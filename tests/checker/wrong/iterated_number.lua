local n: number = 1
for each in n do --! E0005
end
