local count: number = 1
count = "two" --! E0001
