local list: readonly {number} = {1, 2}
table.insert(list, 3) --! E0008
