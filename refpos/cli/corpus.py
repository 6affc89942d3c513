def generate(o): pass
def verify(o): pass
