local whole: integer = 1.5 --! E0001
