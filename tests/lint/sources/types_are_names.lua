-- imports: lib=app:lib
type User = { name: string, kind: lib.Kind }
type Pair<T> = { first: T, second: T }
local start: User = { name = "a" }
local same: typeof(start) = start
local function check(value: any): (User?, string?)
  local found, err = User:is(value)
  return found, err
end
local pair = { first = 1, second = 2 } :: Pair<number>
return { main = check, User = User, same = same, pair = pair as any }
