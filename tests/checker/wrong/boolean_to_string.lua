local text: string = not true --! E0001
