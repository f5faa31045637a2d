type Address = {street: string, zip: string}
type User = {name: string, address: Address}
local user: User = {
    name = "a",
    address = {
        street = "b",
        zip = 12345, --! E0001
    },
}
