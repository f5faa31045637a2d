x : number = 1
