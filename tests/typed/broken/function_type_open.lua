local f: (number -> number = 1
