-- expect: error Invalid holes
return { 1, nil, 3 }
