goto away local x: number = 1
