local id: number | string = true --! E0001
