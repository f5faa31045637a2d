local a: number, b: number = 1, nil --! E0002
