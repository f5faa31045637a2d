type X = A & | B
