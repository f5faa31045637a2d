-- expect: error Invalid both list items and named fields
return { 1, 2, name = "x" }
