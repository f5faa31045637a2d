local list: {number} = {1}
list[2] = "two" --! E0001
