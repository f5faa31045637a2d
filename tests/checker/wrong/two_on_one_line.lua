local a: number, b: boolean = "x", "y" --! E0001
