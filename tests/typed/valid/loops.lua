local seen = 0
for index: integer = 1, 3 do seen = seen + index end
for key: string, value: number in pairs({ a = 1 }) do seen = seen + value end
return seen == 7
