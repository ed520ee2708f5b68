# The references of all suites of this folder, in double precision.
import numpy as np


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def matmul(a, b, slope, transposed):
    product = a.astype(np.float64) @ (b.T if transposed else b).astype(np.float64)
    return np.where(product < 0, slope * product, product)


def uniform(n, seed):
    """Numbers of Philox4x32-10 for the counters 0 to n - 1, as tl.rand has them.

    Constants are those of Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, 2011.
    """
    low = np.uint64(0xFFFFFFFF)
    words = [np.arange(n, dtype=np.uint64)] + [np.zeros(n, np.uint64)] * 3
    keys = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [b >> np.uint64(32) ^ words[1] ^ keys[0], b & low, a >> np.uint64(32) ^ words[3] ^ keys[1], a & low]
        keys = [keys[0] + np.uint64(0x9E3779B9) & low, keys[1] + np.uint64(0xBB67AE85) & low]
    # A negative integer x becomes -x - 1; the factor keeps the greatest one below 1 as a float.
    signed = words[0].astype(np.uint32).view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def dropout(x, share, seed):
    return np.where(uniform(len(x), int(seed)) > share, x / (1 - share.astype(np.float64)), 0)


def keeps_its_share(out, n, share):
    """The number that is kept is binomial: within six standard deviations of its mean."""
    share = float(share)
    return abs(np.count_nonzero(out) - n * (1 - share)) <= 6 * np.sqrt(n * share * (1 - share))


def layer_norm(x, weight, bias, epsilon):
    x = x.astype(np.float64)
    scaled = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + epsilon)
    return scaled * weight + bias


def scaled_rows(x, means, inverses):
    return (x.astype(np.float64) - means[:, None]) * inverses[:, None]


def layer_norm_dx(dy, x, weight, means, inverses):
    scaled, weighted = scaled_rows(x, means, inverses), dy.astype(np.float64) * weight
    along = (scaled * weighted).mean(axis=1, keepdims=True)
    return (weighted - scaled * along - weighted.mean(axis=1, keepdims=True)) * inverses[:, None]


def layer_norm_dw(dy, x, means, inverses):
    return (dy * scaled_rows(x, means, inverses)).sum(axis=0)


def scores_of(q, k, scale, causal):
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * scale
    later = np.triu(np.ones(scores.shape[1:], bool), 1)
    return np.where(later, -np.inf, scores) if causal else scores


def log_sum_exp(q, k, scale, causal):
    scores = scores_of(q, k, scale, causal)
    greatest = scores.max(axis=2)
    return greatest + np.log(np.exp(scores - greatest[:, :, None]).sum(axis=2))


def attention(q, k, v, scale, causal):
    scores = scores_of(q, k, scale, causal)
    e = np.exp(scores - scores.max(axis=2, keepdims=True))
    return e / e.sum(axis=2, keepdims=True) @ v.astype(np.float64)
