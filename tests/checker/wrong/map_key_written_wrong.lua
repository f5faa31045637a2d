local names: {[integer]: string} = {ann = "Ann"} --! E0001
