local first: string = "a"
for i = first, 10 do --! E0001
    print(i)
end
