local f: (number, string) = print
