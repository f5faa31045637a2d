local s = 'local x: number = 1 as {T} :: T @min(0)' -- x! : T?
return #s > 1
