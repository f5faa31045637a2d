local text: string = {} --! E0001
