-- expect: error Internal at most 200000 items
table.move({}, 1, 2 ^ 53, 2)
