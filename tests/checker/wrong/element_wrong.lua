local list: {number} = {
    1,
    "two", --! E0001
}
