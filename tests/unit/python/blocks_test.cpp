// Expressions over large arrays, which are evaluated by blocks, against NumPy's own results.
#include "python/blocks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "python/function.hpp"
#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using testing::python;
using testing::value_of;

constexpr int64_t kSize = objects::kLeastBlocked + 12345;  // the last block is a part of one

Array counted(const char* dtype, int64_t modulus, int64_t offset = 0) {
  PythonScope scope;
  return to_array(value_of(fmt::format("(np.arange({}) * 7919 % {} - {}).astype('{}')", kSize,
                                       modulus, offset, dtype)),
                  testing::dtype(dtype));
}

PythonScope large_scope() {
  PythonScope scope;
  scope.set_array("x", counted("float32", 10007, 5000));
  scope.set_array("y", counted("float32", 997));
  scope.set_array("k", counted("int32", 1013, 500));
  scope.set_array("b", to_array(value_of(fmt::format("np.arange({}) % 3 == 0", kSize)),
                                testing::dtype("bool")));
  scope.set_scalar("a", testing::dtype("float32"), std::as_bytes(std::span("\0\0\xa0\x40", 4)));
  scope.set_value("n", kSize);
  return scope;
}

bool holds(const std::string& text, const PythonScope& scope) {
  return to_array(value_of(text, scope), testing::dtype("bool")).bytes()[0] == std::byte{1};
}

// The same text over NumPy's own arrays.
std::string by_numpy(const std::string& text) {
  return "(lambda x, y, k, b: " + text + ")(np.array(x), np.array(y), np.array(k), np.array(b))";
}

TEST(Blocks, ElementWiseExpressionsHaveNumPysBits) {
  const PythonScope scope = large_scope();
  for (const char* text : {"a*x + 6*y",
                           "2 * x",
                           "-x",
                           "x ** 2 / 3",
                           "np.exp(x / 5000) - np.sin(y)",
                           "x > y",
                           "b & (k > 3)",
                           "~b",
                           "k // 7 % 5",
                           "k << 3",
                           "np.where(x > 0, x, np.float32(0.1) * x)",
                           "np.maximum(x, 0)",
                           "np.clip(x, -1.5, 1.5)",
                           "np.sqrt(np.abs(x))",
                           "x.astype(np.float64) * y",
                           "k.astype('int8')",
                           "np.multiply(x, y, dtype=np.longdouble).astype('float64')",
                           "x[::-1]",
                           "x.reshape(-1, 1)[:, 0]",
                           "np.cumsum(k)",
                           "np.concatenate([x, y])",
                           "np.sort(x)",
                           "np.stack((x, y)).T.copy()",
                           "np.add.accumulate(k)",
                           "np.roll(k, 3) + k",
                           "x + np.arange(n)",
                           "np.diff(x)",
                           "np.isfinite(1 / y)",
                           "np.float32(1) / y",
                           "k * True",
                           "x[5] + x",
                           "np.fmod(x, 7)",
                           "np.divmod(k, 3)[1]",
                           "np.zeros_like(x)",
                           "x if n > 3 else y",
                           "x.real",
                           "np.where(b)[0]",
                           "x.copy(order='F')"}) {
    const std::string both = fmt::format(
        "(lambda p, q: p.dtype == q.dtype and p.shape == q.shape and p.tobytes() == q.tobytes())"
        "(np.asarray({}), np.asarray({}))",
        text, by_numpy(text));
    EXPECT_TRUE(holds(both, scope)) << text;
  }
}

TEST(Blocks, ReductionsAreNumPysUpToTheOrderOfSums) {
  const PythonScope scope = large_scope();
  for (const char* text : {"k.sum()",
                           "np.sum(k, dtype='int64')",
                           "x.max()",
                           "np.min(y)",
                           "b.any()",
                           "np.all(b)",
                           "np.bitwise_xor.reduce(k)",
                           "k.argmax()",
                           "len(x)",
                           "x.size",
                           "x.nbytes",
                           "np.count_nonzero(b)",
                           "x.ndim",

                           "k.prod()",
                           "x.shape",
                           "np.dot(k, k)",
                           "np.dot(b, b)",
                           "k.astype(object).sum()",
                           "np.max(x, axis=0)",
                           "float(x[-1])",
                           "x.strides[0]"}) {
    EXPECT_TRUE(holds(fmt::format("{} == {}", text, by_numpy(text)), scope)) << text;
    EXPECT_TRUE(holds(fmt::format("type({}) is type({})", text, by_numpy(text)), scope)) << text;
  }
  for (const char* text :
       {"np.sum(x)", "x.mean()", "np.sum(np.abs(x), dtype='float64')", "np.dot(x, y)", "np.std(x)",
        "np.float64(np.sum(np.multiply(x, y, dtype=np.longdouble)))", "np.linalg.norm(x)", "x @ y",
        "np.matmul(x, y, dtype='float64')", "np.sum(x, 0, 'float64')"}) {
    EXPECT_TRUE(
        holds(fmt::format("np.isclose({}, {}, rtol=1e-5, atol=0)", text, by_numpy(text)), scope))
        << text;
  }
}

TEST(Blocks, MatricesAreBlockedOnlyWhereShapesAgree) {
  PythonScope scope;
  scope.set_array("x", to_array(value_of("np.arange(2048 * 3000).reshape(2048, 3000) % 1009"),
                                testing::dtype("float32")));
  for (const char* text : {"2 * x", "x + x[0]", "x.sum(0)", "np.sum(x, axis=1)", "np.max(x, 1)",
                           "x.T + 1", "x @ np.ones((3000, 2), 'float32')",
                           "np.sum(x, dtype='float64')", "x - x.max(axis=1, keepdims=True)"}) {
    const std::string numpy = fmt::format("(lambda x: {})(np.array(x))", text);
    EXPECT_TRUE(holds(fmt::format("np.array_equal({}, {})", text, numpy), scope)) << text;
  }
}

TEST(Blocks, ProductsOfMatricesAreNotElementWise) {
  PythonScope scope;
  scope.set_array("x", to_array(value_of("np.arange(2**22).reshape(-1, 2, 2) % 11"),
                                testing::dtype("float32")));
  EXPECT_TRUE(holds("np.array_equal(x @ x, np.array(x) @ np.array(x))", scope));
  EXPECT_TRUE(
      holds("np.array_equal(np.matmul(x, x, dtype='float64'), "
            "np.matmul(np.array(x), np.array(x), dtype='float64'))",
            scope));
}

TEST(Blocks, ManyOperationsAreNotedInParts) {
  const PythonScope scope = large_scope();
  const auto many = [](const std::string& x) {
    return "__import__('functools').reduce(lambda a, _: a * 0.5 + 1, range(300), " + x + ")";
  };
  EXPECT_TRUE(holds("np.array_equal(" + many("x") + ", " + many("np.array(x)") + ")", scope));
}

TEST(Blocks, NotedOperationsKeepTheValuesOfBefore) {
  const PythonScope scope = large_scope();
  EXPECT_TRUE(
      holds("(lambda z: (lambda y: (z.__setitem__(0, 7), float(y[0]), float(z[0])))(z * 2))"
            "(x + 0)[1:] == (2 * float(x[0]), 7.0)",
            scope));
}

// The generators of the definition, NumPy's own: `stream(i)` is that of block i.
std::string with_streams(const std::string& text) {
  return "(lambda key: (lambda stream: " + text +
         ")(lambda i: np.random.Generator(np.random.Philox(key=key).jumped(i + 1))))"
         "(rng.bit_generator.state['state']['key'])";
}

TEST(Blocks, LargeDrawsComeFromJumpedStreams) {
  PythonScope scope;
  scope.set_generator({42, "suite", "case", "x", 0});
  scope.set_value("n", (int64_t{17} << 18) + 6);
  struct {
    const char *draw, *of_block;
  } const draws[] = {
      {"random(n)", "random(m)"},
      {"random((2, n // 2))", "random(m)"},
      {"standard_normal(n, dtype='float32')", "standard_normal(m, dtype='float32')"},
      {"integers(-5, 1000, n)", "integers(-5, 1000, m)"},
      {"integers(0, 2**32, size=n, dtype='uint32')", "integers(0, 2**32, m, dtype='uint32')"},
      {"uniform(1, 2, size=n)", "uniform(1, 2, m)"},
      {"normal(0, 3, n)", "normal(0, 3, m)"},
  };
  for (const auto& [draw, of_block] : draws) {
    const std::string wanted = fmt::format(
        "np.concatenate([(lambda m: stream(i).{})(min(2**18, n - i * 2**18)) for i in range(18)])",
        of_block);
    EXPECT_TRUE(holds(
        with_streams(fmt::format("np.array_equal(np.ravel(rng.{}), {})", draw, wanted)), scope))
        << draw;
  }
}

TEST(Blocks, TheGeneratorGoesOnBehindTheStreamsOfALargeDraw) {
  PythonScope scope;
  scope.set_generator({42, "suite", "case", "x", 0});
  EXPECT_TRUE(holds(with_streams("[rng.random(16 * 2**18 + 1).size, rng.random(3).tolist()][1] == "
                                 "stream(17).random(3).tolist()"),
                    scope));
}

TEST(Blocks, SmallDrawsAreThoseOfNumPysGenerator) {
  PythonScope scope;
  scope.set_generator({42, "suite", "case", "x", 0});
  for (const char* draw :
       {"random(2**22 - 1)", "random()", "integers(7)", "uniform([1, 2], 3)", "normal(size=(3, 4))",
        "choice(5, 3)", "permutation(10)", "standard_normal()"}) {
    EXPECT_TRUE(
        holds(fmt::format("np.array_equal(rng.{0}, np.random.Generator(np.random.Philox(key="
                          "__import__('copy').deepcopy(KEY))).{0})",
                          draw),
              [&] {
                PythonScope with_key = scope;
                with_key.set_array(
                    "KEY", to_array(value_of("rng.bit_generator.state['state']['key']", scope),
                                    testing::dtype("uint64")));
                return with_key;
              }()))
        << draw;
  }
}

TEST(Blocks, NoResultDependsOnTheNumberOfThreads) {
  PythonScope scope = large_scope();
  scope.set_generator({42, "suite", "case", "x", 0});
  EXPECT_TRUE(
      holds("(lambda f: f(1) == f(2) == f(7))(lambda t: "
            "(setattr(x, '_threads', t), np.sum(x / 3).tobytes())[1])",
            scope));
}

TEST(Blocks, BecomeArgumentsByTheRulesOfArrays) {
  PythonScope scope = large_scope();
  const auto refusal = [&](const std::string& text, const char* dtype) -> std::string {
    try {
      to_array(value_of(text, scope), testing::dtype(dtype));
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(refusal("k * 1", "int16"), "");
  EXPECT_EQ(refusal("k * 1", "int64"), "");
  EXPECT_EQ(refusal("b.astype(np.uint8)", "int32"), "");
  EXPECT_EQ(refusal("b.astype(np.int64)", "uint64"), "");
  EXPECT_EQ(refusal("x * np.ma.masked_where(np.array(x) > 0, np.array(x))", "float32"),
            "the value has masked elements");
  EXPECT_EQ(refusal("k * 1", "int8"),
            "the value -500 at [0] is not in the range of int8, -128 to 127");
  EXPECT_EQ(refusal("x.astype(np.float64) * 1e300", "float32"),
            "a finite value of float64 is too large for float32");
  EXPECT_EQ(refusal("x + 0.5", "int32"), "the value is float32, which is not cast to int32");
  EXPECT_EQ(refusal("x + y", "bfloat16"), "");
  EXPECT_EQ(to_array(value_of("b", scope), testing::dtype("bool")).size(), kSize);
}

TEST(Blocks, AnExpressionCannotChangeAnArgument) {
  const PythonScope scope = large_scope();
  EXPECT_THROW(value_of("x.__setitem__(0, 1)", scope), Error);
}

TEST(Blocks, FunctionsGetNumPysArrays) {
  const TemporaryFolder folder("blocks");
  write_file_atomically(
      folder.path() / "f.py",
      "import numpy as np\ndef plain(x, rng): return isinstance(x, np.ndarray) and "
      "isinstance(rng.random(5_000_000), np.ndarray)\n");
  PythonScope scope = large_scope();
  scope.set_generator({42, "suite", "case", "x", 0});
  const Value value = call(python(), python_function(testing::at("f.py:plain"), folder.path()),
                           scope, ExitCode::usage);
  EXPECT_EQ(to_array(value, testing::dtype("bool")).bytes()[0], std::byte{1});
}

}  // namespace
}  // namespace warpmark
