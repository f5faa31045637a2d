return 7 // 2 == 3 and 1 << 2 == 4 and 5 ~ 1 == 4 and ~1 == -2
