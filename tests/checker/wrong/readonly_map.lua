local ages: readonly {[string]: number} = {ann = 1}
ages.ann = 2 --! E0008
