type Point = {x: number, y: number}
type Config = {
  host: string,
  port?: number;
  readonly name: string,
  "quoted": boolean,
  end?: integer,
}
type Empty = {}
local point: Point, config: Config = { x = 1, y = 2 }, { host = "h", name = "n", quoted = true }
return point.x + point.y == 3 and config.port == nil
