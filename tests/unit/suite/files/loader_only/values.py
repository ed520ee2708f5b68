"""A check of check_before.yaml."""


def is_right(z):
    return bool((z >= 0).all())
