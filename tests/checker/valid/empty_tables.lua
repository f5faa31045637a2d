type Options = {a?: number, b?: string}
local list: {number} = {}
local map: {[string]: {number}} = {}
local options: Options = {}
local any_table: {} = {1, a = 2}
map.x = {}
map.x[1] = 2
