# Layer normalisation in Triton, forward and backward: rows in parts, and sums over rows behind locks.
import triton
import triton.language as tl


@triton.jit
def forward(x, weight, bias, y, means, inverses, columns, epsilon, BLOCK: tl.constexpr):
    """A program for each row, which goes through it three times: for the mean, the variance and the result."""
    row = tl.program_id(0)
    x += row * columns
    y += row * columns
    column = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        sums += tl.load(x + start + column, mask=start + column < columns, other=0.0)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        inside = start + column < columns
        distance = tl.where(inside, tl.load(x + start + column, mask=inside, other=0.0) - mean, 0.0)
        squares += distance * distance
    inverse = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(inverses + row, inverse)
    for start in range(0, columns, BLOCK):
        inside = start + column < columns
        scaled = (tl.load(x + start + column, mask=inside) - mean) * inverse
        factor = tl.load(weight + start + column, mask=inside)
        tl.store(y + start + column, scaled * factor + tl.load(bias + start + column, mask=inside), mask=inside)


@triton.jit
def backward(dy, x, weight, means, inverses, dx, part_dw, part_db, locks, used, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """A program for each row finds dx, and adds to the sums of its group of rows for dw and db."""
    row = tl.program_id(0)
    group = row % GROUPS
    column = tl.arange(0, BLOCK)
    inside = column < columns
    scaled = (tl.load(x + row * columns + column, mask=inside, other=0.0) - tl.load(means + row)) * tl.load(inverses + row)
    slope = tl.load(dy + row * columns + column, mask=inside, other=0.0)
    weighted = slope * tl.load(weight + column, mask=inside, other=0.0)
    scaled = tl.where(inside, scaled, 0.0)
    along = tl.sum(scaled * weighted, axis=0) / columns
    average = tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * columns + column, (weighted - scaled * along - average) * tl.load(inverses + row), mask=inside)
    # One program at a time has the sums of a group; the first one finds no values there.
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    dw = slope * scaled
    db = slope
    seen = tl.load(used + group)
    tl.debug_barrier()  # All threads of the program have read before one of them writes.
    if seen == 1:
        dw += tl.load(part_dw + group * columns + column, mask=inside)
        db += tl.load(part_db + group * columns + column, mask=inside)
    tl.store(part_dw + group * columns + column, dw, mask=inside)
    tl.store(part_db + group * columns + column, db, mask=inside)
    tl.store(used + group, 1)
    tl.debug_barrier()  # All threads of the program have stored before one of them gives the lock back.
    tl.atomic_xchg(locks + group, 0)


@triton.jit
def add_up(part_dw, part_db, dw, db, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """The sums over all groups; `GROUPS` is a power of two."""
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.arange(0, GROUPS)[:, None] * columns + column[None, :]
    inside = (column < columns)[None, :] & (place >= 0)
    tl.store(dw + column, tl.sum(tl.load(part_dw + place, mask=inside, other=0.0), axis=0), mask=column < columns)
    tl.store(db + column, tl.sum(tl.load(part_db + place, mask=inside, other=0.0), axis=0), mask=column < columns)
