local x: {string number} = {}
