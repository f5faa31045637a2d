-- modules: time
local function area(width, height)
  return width * heigth --> E0024
end

counter = 0
counter = counter + 1
if maybe then
  print(maybe_not) --> E0024
end
local known = maybe ~= nil and type(maybe) == "table" or not maybe
for index = 1, 3 do
  area(index, index)
end
print(index, known) --> E0024
json.encode({}) --> E0024
time.now()
return { main = area }
