local function area(width: number, height: number, label: string?)
  return label or width * height
end
return area(2, 3) == 6 and area(1, 1, "x") == "x"
