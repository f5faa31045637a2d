local x: number< = 42
