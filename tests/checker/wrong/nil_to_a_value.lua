local x: number = nil --! E0002
