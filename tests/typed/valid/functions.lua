type Handler = (string, number?) -> boolean
type Named = (name: string, options?: {string}, ...any) -> (any, string?)
type Nothing = () -> ()
type Generic = <T>(x: T) -> T
local twice: (number) -> (number) -> number = function(a: number): (number) -> number
  return function(b: number): number return a * b end
end
local callback: function = print
return twice(2)(3) == 6 and callback == print
