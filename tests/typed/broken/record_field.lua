type P = {x: number y: number}
