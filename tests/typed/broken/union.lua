local x: string |= 1
