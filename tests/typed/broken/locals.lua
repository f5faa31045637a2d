local number: = 1
