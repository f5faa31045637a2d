local data: any = { n = 2 }
local n = data.n as number
local record = ({ n = 1 } as {n: number})
local union = data as {n: number} | nil
local again = data as any as {n: number}
local flag = data.n as number == 2 and true
local wrapped = data.n as (number)
return n == 2 and record.n == 1 and union == data and again == data and flag and wrapped == 2
