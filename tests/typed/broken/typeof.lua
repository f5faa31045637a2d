type X = typeof()
