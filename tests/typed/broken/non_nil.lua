local !x = 1
