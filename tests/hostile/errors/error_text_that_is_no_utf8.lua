-- expect: error Internal
error("\255\254", 0)
