local a: number, b: string = "x", 1 --! E0001
