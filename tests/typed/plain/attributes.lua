local x <const>, y <close> = 1, nil
return x < 2 and x > 0
