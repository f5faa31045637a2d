local level: 1 | 2 | 3 = 4 --! E0001
