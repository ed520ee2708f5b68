"""Steps of Mandelbrot's iteration with the kernel's roundings: points near the edge tell any other."""
import numpy as np


def steps(width, height, most):
    one = np.float32
    cx = one(-2) + one(3) * np.arange(width, dtype=one) / one(width)
    cy = one(-1.5) + one(3) * np.arange(height, dtype=one) / one(height)
    c_x, c_y = np.meshgrid(cx, cy)
    x, y = np.zeros_like(c_x), np.zeros_like(c_y)
    count = np.zeros(c_x.shape, dtype=np.int32)
    for _ in range(most):
        inside = x * x + y * y <= 4
        x, y = (np.where(inside, x * x - y * y + c_x, x), np.where(inside, 2 * x * y + c_y, y))
        count += inside
    return count
