local list: {number} = {}
table.insert(list, "one") --! E0001
