type Named = {name: string}
type Person = Named & {age: number} & any
local person: Person = { name = "n", age = 1 }
return (person.age & 1) == 1
