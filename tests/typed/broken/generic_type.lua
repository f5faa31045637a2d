type X = Box<>
