local count: number = "one" --! E0001
