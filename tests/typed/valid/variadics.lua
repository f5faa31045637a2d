local function sum(...: number): number
  local total: number = 0
  for _, value: number in ipairs({...}) do
    total = total + value
  end
  return total
end
local function format(text: string, ...: any): string return text:format(...) end
return sum(1, 2, 3) == 6 and format("%d-%s", 1, "a") == "1-a"
