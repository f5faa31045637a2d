local x <cnst> = 1
