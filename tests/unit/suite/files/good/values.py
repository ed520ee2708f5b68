"""Values of function.yaml."""


def start(rng, n):
    return rng.random(n)


def factor():
    return 2


def twice(a, k):
    return k * a
