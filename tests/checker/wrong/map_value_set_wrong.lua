local ages: {[string]: number} = {}
ages.ann = "old" --! E0001
ages["bob"] = false --! E0001
