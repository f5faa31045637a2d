type X = -"x"
