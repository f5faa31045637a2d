local x: number @even(1) = 1
