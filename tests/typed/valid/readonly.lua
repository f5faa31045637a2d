local readonly = 1
local list: readonly {number} = { readonly }
type ReadOnly = readonly {[string]: readonly string[]}
type Odd = {readonly: boolean, readonly x: number}
return list[1] == 1
