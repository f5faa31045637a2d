local x: number @min("a") = 1
