"""Philox4xW-10 in NumPy, after Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as
1, 2, 3, 2011. `philox` takes 32 and 64 bits, of which NumPy's own Philox has the latter: a test of
Warpmark compares the two."""

import numpy as np

CONSTANTS = {  # multipliers, and what is added to the key in each round
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: (
        (0xD2E7470EE14C6C93, 0xCA5A826395121157),
        (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B),
    ),
}


def high_and_low(a, b, bits):
    """The two halves of the products of `a` and a constant."""
    half, mask = bits // 2, np.uint64((1 << bits // 2) - 1)
    if bits == 32:
        product = a.astype(np.uint64) * np.uint64(b)
        return (product >> np.uint64(32)).astype(np.uint32), product.astype(np.uint32)
    shift = np.uint64(half)
    a0, a1 = a & mask, a >> shift
    b0, b1 = np.uint64(b & int(mask)), np.uint64(b >> half)
    middle = a1 * b0 + (a0 * b0 >> shift)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> shift) + (other >> shift), a * np.uint64(b)


def philox(counters, keys, bits=32):
    """Four random words for each row of `counters` (four words) and of `keys` (two words)."""
    word = np.uint32 if bits == 32 else np.uint64
    x0, x1, x2, x3 = np.asarray(counters, word).T
    k0, k1 = np.asarray(keys, word).T
    (m0, m1), (w0, w1) = CONSTANTS[bits]
    for _ in range(10):
        high0, low0 = high_and_low(x0, m0, bits)
        high1, low1 = high_and_low(x2, m1, bits)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0, k1 = k0 + word(w0), k1 + word(w1)
    return np.stack([x0, x1, x2, x3], axis=1)


def words(n, seed, stream):
    """The first `n` words of a stream, four for each counter."""
    index = np.arange((int(n) + 3) // 4, dtype=np.uint64)
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    parts = [index & low, index >> high, stream & low + 0 * index, (stream >> high) + 0 * index]
    counters = np.stack(parts, axis=1)
    keys = np.stack([(seed & low) + 0 * index, (seed >> high) + 0 * index], axis=1)
    return philox(counters, keys).reshape(-1)[: int(n)]


def bits(n, seed, stream):
    return words(n, seed, stream)


def uniform_float(n, seed, stream):
    return (words(n, seed, stream) >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)


def uniform_double(n, seed, stream):
    low, high = words(2 * int(n) + 2, seed, stream)[: 2 * int(n)].reshape(-1, 2).T.astype(np.uint64)
    return ((high << np.uint64(32) | low) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def uniform(n, seed, stream, dtype):
    return (uniform_float if dtype == "float32" else uniform_double)(n, seed, stream)


def normal(n, seed, stream, dtype):
    """Box-Muller in float64, whose first number has the cosine and whose second the sine."""
    even = int(n) + int(n) % 2
    u = uniform(2 * ((even + 1) // 2), seed, stream, dtype).astype(np.float64).reshape(-1, 2)
    distance, angle = np.sqrt(-2 * np.log1p(-u[:, 0])), 2 * np.pi * u[:, 1]
    pair = np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1)
    return pair.reshape(-1)[: int(n)]


# Counters, keys and words of Random123's file kat_vectors, "philox4x32 10".
KNOWN = np.array(
    [
        [0] * 6 + [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
        [0xFFFFFFFF] * 6 + [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
        + [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ],
    np.uint32,
)


def known_counters():
    return KNOWN[:, :4]


def known_keys():
    return KNOWN[:, 4:6]


def known_words():
    return KNOWN[:, 6:]
