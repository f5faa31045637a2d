repeat end
