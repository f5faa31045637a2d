local x: time. = 1
