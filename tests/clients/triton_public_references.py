"""References of the suites in triton_public.py, in double precision where the kernel does not round in between."""
import numpy as np


def rotated(x, cos, sin, interleaved):
    """Pairs of the last axis, neighbours or halves, turned by angles; x is (batch, position, head, dimension)."""
    x = x.astype(np.float64)
    half = cos.shape[1]
    c, s = (one[None, : x.shape[1], None, :].astype(np.float64) for one in (cos, sin))
    first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    out = x.copy()
    out[..., first] = x[..., first] * c - x[..., second] * s
    out[..., second] = x[..., first] * s + x[..., second] * c
    return out


def rotary(x, cos, sin, interleaved, conjugate):
    return rotated(x, cos, -sin if conjugate else sin, interleaved)


def rope(x, cos, sin):
    return rotated(x, cos[:, : x.shape[3] // 2], sin[:, : x.shape[3] // 2], False)


def rope_q(q, cos, sin):
    return rope(q, cos, sin)


def rope_k(k, cos, sin):
    return rope(k, cos, sin)


def log_sum_exp(logits, scale=1.0):
    z = logits.astype(np.float64) * scale
    greatest = z.max(axis=1)
    return greatest + np.log(np.exp(z - greatest[:, None]).sum(axis=1))


def losses(logits, labels, smoothing, scale, square_scale):
    """Cross entropy with smoothed labels and the square of the logarithm of the sum; a negative label counts not."""
    z, lse = logits.astype(np.float64) * scale, log_sum_exp(logits, scale)
    loss = lse - smoothing * z.mean(axis=1) - (1 - smoothing) * z[np.arange(len(z)), np.maximum(labels, 0)] + square_scale * lse**2
    return np.where(labels < 0, 0, loss)


def fa_loss(logits, labels, smoothing, scale, square_scale):
    return losses(logits, labels, smoothing, scale, square_scale)


def fa_z_loss(logits, labels, scale, square_scale):
    return np.where(labels < 0, 0, square_scale * log_sum_exp(logits, scale) ** 2)


def fa_lse(logits, scale):
    return log_sum_exp(logits, scale)


def loss_slopes(logits, labels, lse, smoothing, scale, square_scale):
    p = np.exp(logits.astype(np.float64) * scale - lse[:, None])
    p += 2 * square_scale * lse[:, None] * p - smoothing / logits.shape[1]
    p[np.arange(len(p)), np.maximum(labels, 0)] -= 1 - smoothing
    return scale * p


def half_lse(logits):
    return log_sum_exp(logits, 0.5)


def fa_dlogits(logits, labels, lse, dloss, smoothing, scale, square_scale):
    return np.where(labels < 0, 0, dloss)[:, None] * loss_slopes(logits, labels, lse, smoothing, scale, square_scale)


def liger_loss(x, labels, n_valid):
    return losses(x, labels, 0.25, 1.0, 0.125) / n_valid


def liger_slopes(x, labels, n_valid):
    slopes = loss_slopes(x, labels, log_sum_exp(x), 0.25, 1.0, 0.125) / n_valid
    return np.where(labels[:, None] < 0, 0, slopes)


def rms(x, epsilon):
    return 1 / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1) + epsilon)


def rms_inverse(x, epsilon):
    return rms(x, epsilon)


def rms_scaled(x, w, epsilon, offset):
    return x * rms(x, epsilon)[:, None] * (offset.astype(np.float64) + w)


def rms_times(x, w, epsilon):
    return x * rms(x, epsilon)[:, None] * w


def geglu(a, b):
    a = a.astype(np.float64)
    return 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3))) * b


def silu(a):
    a = a.astype(np.float64)
    return a / (1 + np.exp(-a))


def swiglu(a, b, factor):
    return silu(a * factor) * b


def silu_times(x, columns):
    return silu(x[:, :columns]).astype(np.float16) * x[:, columns:]


def jsd_loss(x, y, n, beta=0.25):
    p, q = np.exp(y.astype(np.float64)), np.exp(x.astype(np.float64))
    m = np.log(beta * p + (1 - beta) * q)
    return (beta * p * (y - m) + (1 - beta) * q * (x - m)) / n


def jsd_dx(x, y, n, beta=0.25):
    p, q = np.exp(y.astype(np.float64)), np.exp(x.astype(np.float64))
    return (1 - beta) * q * (x - np.log(beta * p + (1 - beta) * q)) / n


def log_softmax(rng, rows, columns):
    x = rng.standard_normal((rows, columns))
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))


def sparsemax(x):
    """The nearest point of the simplex, by the threshold that leaves a sum of 1."""
    out = []
    for row in x.astype(np.float64):
        z = np.sort(row)[::-1]
        k = np.flatnonzero(1 + np.arange(1, len(z) + 1) * z > np.cumsum(z))[-1] + 1
        out.append(np.maximum(row - (z[:k].sum() - 1) / k, 0))
    return np.array(out)


def block_scales(x):
    return np.maximum(np.abs(x.reshape(-1, 128)).max(axis=1), np.float32(1e-4)) / np.float32(448)


def quantised(x):
    return (x.reshape(-1, 128) / block_scales(x)[:, None]).reshape(x.shape)


def dequantised(x, scales):
    return x * np.kron(scales, np.ones((32, 32), np.float32))[: x.shape[0], : x.shape[1]]


def scaled_product(a, b, a_scales, b_scales):
    a, b = a.astype(np.float64) * np.repeat(a_scales, 128, axis=1)[:, : a.shape[1]], b.astype(np.float64)
    return a @ (b * np.kron(b_scales, np.ones((128, 128)))[: b.shape[0], : b.shape[1]]).T


# Experts of megablocks: 10 tokens, the two best of 3 experts for each, and 5, 7 and 8 places taken.
EXPERTS = np.repeat([0, 1, 2], [5, 7, 8])
ENDS = np.array([5, 12, 20])


def order(rng):
    return rng.permutation(20)


def to_bins(x, indices, weights, starts, rows):
    out = np.zeros((rows, x.shape[1]))
    for place, (expert, index) in enumerate(zip(EXPERTS, indices)):
        out[starts[expert] + place - (ENDS[expert] - np.bincount(EXPERTS)[expert])] = x[index // 2] * weights[index].astype(np.float64)
    return out


def padded(a, indices, weights):
    return to_bins(a, indices, weights, [0, 8, 16], 24)


def binned(a, indices, weights):
    return to_bins(a, indices, weights, [0, 9, 18], 27)


def joined(mid, logsums, lengths):
    """Parts of attention over 16 keys each, joined by their logarithms of sums."""
    out = np.zeros(mid.shape[:2] + mid.shape[3:])
    for batch, length in enumerate(lengths):
        parts = -(-length // 16)
        w = np.exp(logsums[batch, :, :parts].astype(np.float64))
        out[batch] = (w[:, :, None] * mid[batch, :, :parts]).sum(axis=1) / w.sum(axis=1)[:, None]
    return out


def scattered(k, places, out):
    out = out.copy()
    out[places] = k
    return out


def best_shares(x):
    e = np.exp(x.astype(np.float64))
    return -np.sort(-e / e.sum(axis=1, keepdims=True), axis=1)[:, :6]


def attention(q, k, v, starts, lengths, places, requests, cached):
    """Causal, with two heads of queries for each of keys; keys and values of a request lie at its places."""
    out = np.zeros(q.shape)
    for start, length, request in zip(starts, lengths, requests):
        rows, at = slice(start, start + length - cached), places[request, :length]
        later = np.arange(length) > np.arange(length - cached)[:, None] + cached
        for head in range(q.shape[1]):
            scores = q[rows, head].astype(np.float64) @ k[at, head // 2].astype(np.float64).T / np.sqrt(q.shape[2])
            e = np.where(later, 0, np.exp(scores - scores.max(axis=1, keepdims=True)))
            out[rows, head] = e / e.sum(axis=1, keepdims=True) @ v[at, head // 2].astype(np.float64)
    return out
