type P = {x: number, x: string}
