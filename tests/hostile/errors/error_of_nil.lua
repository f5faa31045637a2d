-- expect: error Internal raised a nil
error(nil)
