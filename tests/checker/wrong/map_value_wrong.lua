local ages: {[string]: number} = {
    ann = 1,
    bob = "two", --! E0001
}
