local list: readonly {number} = {1, 2}
list[1] = 3 --! E0008
