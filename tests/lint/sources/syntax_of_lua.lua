local x: number = 1
goto nowhere --> P0001
return x
