"""Writes CUDA kernels for functions of PyTorch: right ones for problems that are judged, and wrong ones.

`Kernel(function, arguments, name)` traces a function of tensors into ATen's operations and `text(wrong)` writes one kernel that computes them
for a launch of ceil_div(out.size, 256) blocks of 256 threads. All is computed in double. Values that others read more than once
(sums, products, convolutions) are kept in memory of the block that computes them, as no barrier reaches another block; the rest is
computed where it is read. Shapes are constants. What it has no rule for raises `NoRule`.
"""
import math
import operator

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch.fx.experimental.proxy_tensor import make_fx

ATEN = torch.ops.aten
C_TYPES = {torch.float32: "float", torch.float64: "double", torch.int64: "long long", torch.int32: "int", torch.bool: "bool"}
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==", "ne": "!=",
         "logical_and": "&&", "logical_or": "||", "bitwise_and": "&", "bitwise_or": "|"}
CALLS = {"exp": "exp", "log": "log", "sqrt": "sqrt", "tanh": "tanh", "erf": "erf", "abs": "fabs", "log1p": "log1p", "expm1": "expm1", "sin": "sin",
         "cos": "cos", "pow": "pow", "maximum": "fmax", "minimum": "fmin", "floor": "floor", "rsqrt": "rsqrt", "atan": "atan"}
SAME = {"view", "_unsafe_view", "reshape", "clone", "alias", "detach", "squeeze", "unsqueeze", "_to_copy", "contiguous", "lift_fresh_copy",
        "lift_fresh", "copy"}
WRONG = ("zeros", "rounded", "truncated")


class NoRule(Exception):
    """There is no rule for an operation; the text is its name."""


def strides(shape):
    made, step = [], 1
    for size in reversed(shape):
        made.insert(0, step)
        step *= size
    return made


def coordinates(shape, index="i"):
    """Expressions for the place of a flat index in each dimension."""
    return ["0" if size == 1 else "(%s / %d %% %d)" % (index, step, size) for size, step in zip(shape, strides(shape))]


def flat(places, shape):
    """The flat index of a place in a tensor of that shape, where a dimension of 1 is repeated."""
    terms = ["%s * %d" % (place, step) for place, size, step in zip(places, shape, strides(shape)) if size != 1 and place != "0"]
    return " + ".join(terms) or "0"


def number(value):
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return "%d.0" % value
    if math.isinf(value):
        return "%s(1.0 / 0.0)" % ("-" if value < 0 else "")
    if math.isnan(value):
        return 'nan("")'
    return repr(float(value))


def listed(value, count):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * count if len(value) == 1 else value


class Kernel:
    def __init__(self, function, arguments, name):
        """`arguments` are (name, tensor or number) in the order of the kernel's parameters."""
        self.name, self.arguments, self.bodies, self.kept, self.sums = name, arguments, {}, {}, 0
        tensors = [(index, one) for index, (_, one) in enumerate(arguments) if isinstance(one, torch.Tensor)]

        def traced(*given):
            values = [one for _, one in arguments]
            for (index, _), tensor in zip(tensors, given):
                values[index] = tensor
            return function(*values)

        table = {**core_aten_decompositions(), **get_decompositions([
            ATEN.native_layer_norm, ATEN.native_group_norm, ATEN.native_batch_norm, ATEN._native_batch_norm_legit_no_training, ATEN._softmax, ATEN._log_softmax,
            ATEN.addmm, ATEN.var_mean.correction, ATEN.hardtanh, ATEN.gelu, ATEN.leaky_relu, ATEN.elu, ATEN.sigmoid, ATEN.relu, ATEN.mean.dim])}
        for kept in (ATEN.gelu.default, ATEN.leaky_relu.default, ATEN.elu.default):
            table.pop(kept, None)  # as they are written in C
        with torch.no_grad():
            self.module = make_fx(traced, decomposition_table=table)(*(one for _, one in tensors))
        self.graph = self.module.graph
        self.graph.eliminate_dead_code()
        self.names = [arguments[index][0] for index, _ in tensors]

    # Values of nodes.

    @staticmethod
    def value(node):
        return node.meta["val"] if "val" in node.meta else node.meta["tensor_meta"]

    def shape(self, node):
        return list(self.value(node).shape) if isinstance(node, torch.fx.Node) else []

    def read(self, node, index):
        """The value of a node, or of a constant, at a flat index."""
        if not isinstance(node, torch.fx.Node):
            return number(node)
        return "v_%s(b, %s)" % (node.name, index)

    def at(self, node, shape, index="i"):
        """The value at the place of an element of a tensor of `shape`, to which the node's is broadcast."""
        own = self.shape(node)
        if own == list(shape):
            return self.read(node, index)
        own = [1] * (len(shape) - len(own)) + own
        return self.read(node, flat(coordinates(shape, index), own))

    # Rules: each returns statements that end with a `return`.

    def loop(self, sizes, body, start="0.0", step="sum += {}"):
        """Loops r0, r1, … over the sizes; `truncated` ones leave the last round of the innermost with several out, but of a maximum, which may
        not need it."""
        adds = "fm" not in body + step and "best" not in body
        cut = max((one for one, size in enumerate(sizes) if size > 1 and adds), default=-1)
        self.sums += cut >= 0
        heads = "".join("for (int r%d = 0; r%d < %d%s; ++r%d) " % (one, one, size, " - CUT" if one == cut else "", one) for one, size in enumerate(sizes))
        return "double sum = %s; %s{ %s; }" % (start, heads, body if ";" in body else step.format(body))

    def reduced(self, node, source, dims):
        """The flat index of `source` for the node's element i, with rounds r0, r1, … over `dims`, and their sizes."""
        shape = self.shape(source)
        dims = sorted(one % len(shape) for one in dims) if dims else list(range(len(shape)))
        rest = [one for one in range(len(shape)) if one not in dims]
        outer = dict(zip(rest, coordinates([shape[one] for one in rest])))
        places = [outer[one] if one in outer else "r%d" % dims.index(one) for one in range(len(shape))]
        return flat(places, shape), [shape[one] for one in dims]

    def reduction(self, node, op, args, kwargs):
        source = args[0]
        dims = listed(args[1], 1) if len(args) > 1 and args[1] is not None and args[1] != [] else []
        index, sizes = self.reduced(node, source, dims)
        read = self.read(source, index)
        if op in ("sum", "mean"):
            scale = " / %d.0" % math.prod(sizes) if op == "mean" else ""
            return self.loop(sizes, read) + " return sum%s;" % scale
        if op == "any":
            return self.loop(sizes, read, step="sum = {} != 0 ? 1.0 : sum") + " return sum;"
        if op == "prod":
            return self.loop(sizes, read, "1.0", "sum *= {}") + " return sum;"
        if op in ("amax", "amin", "max", "min"):
            least = op in ("amin", "min")
            return self.loop(sizes, read, "%s(1.0 / 0.0)" % ("" if least else "-"), "sum = %s(sum, {})" % ("fmin" if least else "fmax")) + " return sum;"
        if op in ("argmax", "argmin"):
            sign = "<" if op == "argmin" else ">"
            body = "double one = %s; if (%s == 0 || one %s best) { best = one; sum = %s; }" % (read, " + ".join("r%d" % one for one in range(len(sizes))), sign, flat(["r%d" % one for one in range(len(sizes))], sizes))
            return "double best = 0; " + self.loop(sizes, body) + " return sum;"
        if op == "var":
            correction = kwargs.get("correction", args[2] if len(args) > 2 else 1)
            mean = self.loop(sizes, read).replace("sum", "mean")
            count = math.prod(sizes)
            return mean + " mean /= %d.0; " % count + self.loop(sizes, "double one = %s - mean; sum += one * one" % read) + " return sum / %d.0;" % (count - correction)
        raise NoRule(op)

    def product(self, node, op, args):
        left, right = args[:2]
        depth = self.shape(left)[-1]
        places = coordinates(self.shape(node))
        one = self.read(left, flat([*places[:-1], "r0"], self.shape(left)) if op != "dot" else "r0")
        other = self.read(right, flat([*places[:-2], "r0", places[-1]], self.shape(right)) if op in ("mm", "bmm") else "r0")
        return self.loop([depth], "%s * %s" % (one, other)) + " return sum;"

    def convolution(self, node, args):
        source, weight, bias, stride, padding, dilation, transposed, out_padding, groups = args
        shape, filters = self.shape(source), self.shape(weight)
        rank = len(filters) - 2
        stride, padding, dilation = (listed(one, rank) for one in (stride, padding, dilation))
        places = coordinates(self.shape(node))
        channels_out = self.shape(node)[1]
        per_out, per_in = channels_out // groups, shape[1] // groups
        group = "(%s / %d)" % (places[1], per_out)
        sizes = [per_in, *filters[2:]]
        lines, inside, at = [], [], []
        for one in range(rank):
            if transposed:
                lines.append("int q%d = %s + %d - r%d * %d, p%d = q%d / %d;" % (one, places[2 + one], padding[one], one + 1, dilation[one], one, one, stride[one]))
                inside.append("q%d >= 0 && q%d %% %d == 0 && p%d < %d" % (one, one, stride[one], one, shape[2 + one]))
            else:
                lines.append("int p%d = %s * %d - %d + r%d * %d;" % (one, places[2 + one], stride[one], padding[one], one + 1, dilation[one]))
                inside.append("p%d >= 0 && p%d < %d" % (one, one, shape[2 + one]))
            at.append("p%d" % one)
        read = self.read(source, flat([places[0], "(%s * %d + r0)" % (group, per_in), *at], shape))
        if transposed:
            which = ["(%s * %d + r0)" % (group, per_in), "(%s %% %d)" % (places[1], per_out)]
        else:
            which = [places[1], "r0"]
        factor = self.read(weight, flat([*which, *("r%d" % (one + 1) for one in range(rank))], filters))
        body = "%s if (%s) sum += %s * %s" % (" ".join(lines), " && ".join(inside), read, factor)
        start = "0.0" if bias is None else self.read(bias, places[1])
        return self.loop(sizes, body, start) + " return sum;"

    def pooling(self, node, op, args):
        source, window = args[0], args[1]
        shape, out = self.shape(source), self.shape(node)
        if op.startswith("_adaptive") or op.startswith("adaptive"):
            rank = len(window)
            window = [size // one for size, one in zip(shape[-rank:], out[-rank:])]
            if any(size % one for size, one in zip(shape[-rank:], out[-rank:])):
                raise NoRule("uneven " + op)
            stride, padding, dilation, rest = window, [0] * rank, [1] * rank, ()
        else:
            rank = int(op[op.index("pool") + 4])
            window = listed(window, rank)
            stride = listed(args[2], rank) if len(args) > 2 and args[2] else window
            padding = listed(args[3], rank) if len(args) > 3 else [0] * rank
            rest = args[4:]
            dilation = listed(rest[0], rank) if op.startswith("max") and rest else [1] * rank
        places = coordinates(out)
        lines, inside = [], []
        for one in range(rank):
            lines.append("int p%d = %s * %d - %d + r%d * %d;" % (one, places[len(out) - rank + one], stride[one], padding[one], one, dilation[one]))
            inside.append("p%d >= 0 && p%d < %d" % (one, one, shape[len(out) - rank + one]))
        read = self.read(source, flat([*places[:-rank], *("p%d" % one for one in range(rank))], shape))
        if op.startswith("max"):
            body = "%s if (%s) sum = fmax(sum, %s)" % (" ".join(lines), " && ".join(inside), read)
            return self.loop(window, body, "-(1.0 / 0.0)") + " return sum;"
        counts_padding = len(rest) < 2 or rest[1]
        body = "%s if (%s) { sum += %s; count += 1; }" % (" ".join(lines), " && ".join(inside), read)
        divisor = "%d.0" % math.prod(window) if counts_padding else "count"
        return "double count = 0; " + self.loop(window, body) + " return sum / %s;" % divisor

    def moved(self, node, op, args):
        """Elements of one source at other places."""
        source, shape = args[0], self.shape(args[0])
        places = coordinates(self.shape(node))
        if op in ("permute", "transpose", "t"):
            order = list(args[1]) if op == "permute" else list(range(len(shape)))
            if op == "t":
                order = order[::-1]
            if op == "transpose":
                one, other = args[1] % len(shape), args[2] % len(shape)
                order[one], order[other] = order[other], order[one]
            where = [""] * len(shape)
            for to, of in enumerate(order):
                where[of % len(shape)] = places[to]
            return "return %s;" % self.read(source, flat(where, shape))
        if op == "slice":
            dim = args[1] % len(shape) if len(args) > 1 else 0
            start = args[2] if len(args) > 2 and args[2] is not None else 0
            start += shape[dim] if start < 0 else 0
            places[dim] = "(%s * %d + %d)" % (places[dim], args[4] if len(args) > 4 else 1, start)
            return "return %s;" % self.read(source, flat(places, shape))
        if op == "select":
            dim = args[1] % len(shape)
            places.insert(dim, "%d" % (args[2] % shape[dim]))
            return "return %s;" % self.read(source, flat(places, shape))
        if op == "flip":
            for dim in args[1]:
                places[dim] = "(%d - %s)" % (shape[dim] - 1, places[dim])
            return "return %s;" % self.read(source, flat(places, shape))
        if op == "expand":
            return "return %s;" % self.at(source, self.shape(node))
        if op == "broadcast_in_dim":
            kept = list(args[2])
            return "return %s;" % self.read(source, flat([places[one] for one in kept], shape))
        if op == "as_strided":
            size, step, start = args[1], args[2], args[3] if len(args) > 3 and args[3] else 0
            terms = ["%s * %d" % (place, one) for place, one in zip(coordinates(size), step)]
            return "return %s;" % self.read(source, " + ".join([*terms, str(start)]))
        if op == "diagonal":
            return "return %s;" % self.read(source, "i * %d" % (shape[1] + 1))
        raise NoRule(op)

    def joined(self, node, args):
        dim = (args[1] if len(args) > 1 else 0) % len(self.shape(node))
        places, text, begin = coordinates(self.shape(node)), "", 0
        for source in args[0]:
            shape = self.shape(source)
            if math.prod(shape) == 0 or len(shape) != len(places):
                continue
            own = [*places]
            own[dim] = "(%s - %d)" % (places[dim], begin)
            begin += shape[dim]
            text += "if (%s < %d) return %s; " % (places[dim], begin, self.read(source, flat(own, shape)))
        return text + "return 0.0;"

    def running(self, node, op, args):
        source, dim = args[0], args[1] % len(self.shape(args[0]))
        shape = self.shape(source)
        places = coordinates(shape)
        last, places[dim] = places[dim], "r0"
        self.sums += 1
        return "double sum = %s; for (int r0 = 0; r0 <= %s - CUT; ++r0) sum %s= %s; return sum;" % (
            "1.0" if op == "cumprod" else "0.0", last, "*" if op == "cumprod" else "+", self.read(source, flat(places, shape)))

    def pointwise(self, node, op, args, kwargs):
        shape = self.shape(node)
        given = [self.at(one, shape) if isinstance(one, (torch.fx.Node, int, float)) else one for one in args]
        x = given[0]
        if op in INFIX:
            other = given[1] if kwargs.get("alpha", 1) == 1 else "%s * %s" % (number(kwargs["alpha"]), given[1])
            if kwargs.get("rounding_mode") == "floor":
                return "return floor(%s / %s);" % (x, other)
            kind = "(long long)" if op.startswith("bitwise") else ""
            return "return %s%s %s %s(%s);" % (kind, x, INFIX[op], kind, other)
        if op in CALLS:
            return "return %s(%s);" % (CALLS[op], ", ".join(given))
        low, high = (given[1:] + [None, None])[:2]
        if op in ("clamp", "hardtanh", "clamp_min", "clamp_max"):
            if op == "clamp_max":
                low, high = None, low
            text = x if low is None else "fmax(%s, %s)" % (x, low)
            return "return %s;" % (text if high is None else "fmin(%s, %s)" % (text, high))
        simple = {"relu": "x > 0 ? x : 0.0", "sigmoid": "1.0 / (1.0 + exp(-x))", "neg": "-x", "reciprocal": "1.0 / x", "logical_not": "!x",
                  "sign": "(x > 0) - (x < 0)", "isnan": "x != x", "isinf": "fabs(x) == 1.0 / 0.0", "silu": "x / (1.0 + exp(-x))", "bitwise_not": "!x", "mish": "x * tanh(log1p(exp(x)))",
                  "softplus": "x > 20 ? x : log1p(exp(x))", "hardsigmoid": "fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0", "square": "x * x",
                  "hardswish": "x * fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0"}
        if op in simple:
            return "double x = %s; return %s;" % (x, simple[op])
        if op == "leaky_relu":
            return "double x = %s; return x > 0 ? x : x * %s;" % (x, number(args[1] if len(args) > 1 else 0.01))
        if op == "elu":
            alpha, scale, slope = [number(one) for one in [*args[1:], *(1.0, 1.0, 1.0)[len(args) - 1:]]]
            return "double x = %s; return x > 0 ? x * %s : expm1(x * %s) * %s * %s;" % (x, scale, slope, alpha, scale)
        if op == "gelu":
            if kwargs.get("approximate", "none") == "tanh":
                return "double x = %s; return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));" % x
            return "double x = %s; return 0.5 * x * (1.0 + erf(x * 0.7071067811865476));" % x
        if op in ("where", "masked_fill"):
            if op == "masked_fill":
                return "return %s ? %s : %s;" % (given[1], given[2], given[0])
            return "return %s ? %s : %s;" % tuple(given)
        raise NoRule(op)

    def made(self, node, op, args):
        if op in ("full", "full_like"):
            return "return %s;" % number(args[1])
        if op == "scalar_tensor":
            return "return %s;" % number(args[0])
        if op in ("zeros", "zeros_like", "ones", "ones_like", "new_zeros", "new_ones"):
            return "return %s;" % ("1.0" if "ones" in op else "0.0")
        if op == "arange":
            start, step = (args[0], args[2] if len(args) > 2 else 1) if len(args) > 1 else (0, 1)
            return "return %s + i * %s;" % (number(start), number(step))
        if op == "eye":
            return "return i / %d == i %% %d;" % ((self.shape(node)[1],) * 2)
        raise NoRule(op)

    def gathered(self, node, args):
        source, dim, index = args
        places = coordinates(self.shape(node))
        places[dim % len(places)] = "(int)%s" % self.read(index, "i")
        return "return %s;" % self.read(source, flat(places, self.shape(source)))

    KEPT = {"mm", "bmm", "mv", "dot", "convolution", "sum", "mean", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "var", "cumsum", "cumprod"}

    def body(self, node):
        """The statements of a node's function, and whether its values are to be kept."""
        op = node.target._schema.name.split("::")[1].rstrip("_") if hasattr(node.target, "_schema") else ""
        args, kwargs = list(node.args), dict(node.kwargs)
        if op in SAME:
            source = args[0]
            same = self.shape(source) == self.shape(node) or math.prod(self.shape(source)) == math.prod(self.shape(node))
            text = "return %s;" % (self.read(source, "i") if same else self.at(source, self.shape(node)))
            return (text if self.value(node).dtype.is_floating_point or not self.value(source).dtype.is_floating_point else "return (long long)(%s);" % text[7:-1]), False
        if op in ("sum", "mean", "prod", "any", "amax", "amin", "argmax", "argmin", "var") or op in ("max", "min") and isinstance(self.value(node), torch.Tensor) and len(args) == 1:
            return self.reduction(node, op, args, kwargs), True
        if op in ("mm", "bmm", "mv", "dot"):
            return self.product(node, op, args), True
        if op == "convolution":
            return self.convolution(node, args), True
        if op in ("cumsum", "cumprod"):
            return self.running(node, op, args), True
        if op == "cat":
            return self.joined(node, args), False
        if op == "gather":
            return self.gathered(node, args), False
        if "pool" in op:
            return self.pooling(node, op, args), True
        if op in ("permute", "transpose", "t", "slice", "select", "flip", "expand", "diagonal", "broadcast_in_dim", "as_strided"):
            return self.moved(node, op, args), False
        if op in ("full", "full_like", "scalar_tensor", "zeros", "zeros_like", "ones", "ones_like", "arange", "eye", "new_zeros", "new_ones"):
            return self.made(node, op, args), False
        return self.pointwise(node, op, args, kwargs), False

    def first_of(self, node):
        """The body of the first part of a result of several: the values of a maximum, or the places."""
        source, part = node.args
        op = source.target._schema.name.split("::")[1]
        if "pool" in op and part == 0:
            return self.pooling_of(node, source, op)
        if op in ("max", "min") and len(source.args) > 1:
            kind = ("amax" if op == "max" else "amin") if part == 0 else "arg" + op
            return self.reduction(node, kind, [source.args[0], [source.args[1]]], {})
        raise NoRule(op)

    def pooling_of(self, node, source, op):
        return self.pooling(node, op.replace("_with_indices", ""), list(source.args))

    # The kernel.

    def functions(self):
        """Writes a function for each node; returns the output's node and all texts, in order."""
        texts, given, result = [], iter(self.names), None
        for node in self.graph.nodes:
            if node.op == "output":
                result = node.args[0]
                continue
            if node.op == "placeholder":
                body, kept = "return b.%s[i];" % next(given), False
            elif node.target is operator.getitem:
                body, kept = self.first_of(node), True
            elif node.op == "get_attr":
                value = getattr(self.module, node.target)
                if value.numel() != 1:
                    raise NoRule("a constant tensor")
                node.meta["val"] = value
                body, kept = "return %s;" % number(value.item()), False
            elif any(user.target is operator.getitem for user in node.users):
                continue
            else:
                body, kept = self.body(node)
            final = all(user.op == "output" for user in node.users)
            many = sum(1 for user in node.users) > 1 and node.op != "placeholder" and len(body) > 200
            texts.append((node.name, body, math.prod(self.shape(node)), (kept or many) and not final))
        return (result[0] if isinstance(result, (list, tuple)) else result), texts

    def text(self, wrong=""):
        """The kernel; of a wrong one `zeros`, `rounded` (to bfloat16) or `truncated` (a round of each sum left out)."""
        self.sums = 0
        result, texts = self.functions()
        out = self.value(result)
        size, kind = max(out.numel(), 1), C_TYPES[out.dtype]
        blocks = -(-size // 256)
        parameters = ["const %s *%s" % (C_TYPES[one.dtype], name) if isinstance(one, torch.Tensor) else "%s %s" % ("int" if isinstance(one, int) else "float", name)
                      for name, one in self.arguments]
        lines = ["// Computes by ATen's operations, one function for each.", "#define CUT %d" % (wrong == "truncated"),
                 "struct Arrays { %s };" % " ".join("const %s *%s;" % (C_TYPES[one.dtype], name) for name, one in self.arguments if isinstance(one, torch.Tensor))]
        fills = []
        for name, body, count, kept in texts:
            if not kept:
                lines.append("__device__ double v_%s(const Arrays &b, int i) { %s }" % (name, body))
                continue
            lines += ["__device__ double c_%s(const Arrays &b, int i) { %s }" % (name, body), "__device__ double k_%s[%d][%d];" % (name, blocks, count),
                      "__device__ double v_%s(const Arrays &, int i) { return k_%s[blockIdx.x][i]; }" % (name, name)]
            fills.append("  for (int i = threadIdx.x; i < %d; i += blockDim.x) k_%s[blockIdx.x][i] = c_%s(b, i);\n  __syncthreads();" % (count, name, name))
        value = "(%s)v_%s(b, i)" % (kind, result.name)
        store = "out[i] = %s;" % value
        if wrong == "zeros":
            store = "out[i] = 0;"
        elif wrong == "rounded":
            store = "out[i] = %s;" % ("__uint_as_float(__float_as_uint(%s) & 0xffff0000u)" % value if kind == "float" else value + " + (i == %d)" % (size - 1))
        elif wrong == "truncated" and self.sums == 0:
            store = "if (i != %d) " % (size - 1) + store
        lines += ['extern "C" __global__ void %s(%s, %s *out) {' % (self.name, ", ".join(parameters), kind),
                  "  const Arrays b = {%s};" % ", ".join(name for name, one in self.arguments if isinstance(one, torch.Tensor)), *fills,
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;", "  if (i < %d) { %s }" % (size, store), "}", ""]
        return "\n".join(lines)
