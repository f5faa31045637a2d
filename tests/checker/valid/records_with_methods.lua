type Counter = {value: number, add: (self: Counter, by: number) -> number}
local c: Counter = {
    value = 0,
    add = function(self: Counter, by: number): number
        self.value = self.value + by
        return self.value
    end,
}
local n: number = c:add(1)
n = c.add(c, 2)
