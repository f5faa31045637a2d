-- expect: error Internal at most 200000 items
return table.unpack({}, 1, 2 ^ 53)
