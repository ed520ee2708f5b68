#include "python/conversion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include <cmath>
#include <cstdint>
#include <limits>

#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using testing::array_elements;
using testing::dtype;
using testing::elements;
using testing::error_of;
using ::testing::HasSubstr;
using testing::value_of;

std::string refusal(const std::string& text, std::string_view type) {
  const Error error = error_of([&] { to_array(value_of(text), dtype(type)); });
  EXPECT_EQ(error.where(), (Position{"x.yaml", 3, 10}));
  EXPECT_EQ(error.code(), ExitCode::usage);
  return error.message();
}

TEST(ToArray, WritesEveryDtype) {
  for (const DType& type : all_dtypes()) {
    const std::string text = type.name == "bool" ? "np.array([True, False])" : "[1, 0]";
    const Array array = to_array(value_of(text), type);
    EXPECT_EQ(array.shape(), Shape{2}) << type.name;
    ASSERT_EQ(array.nbytes(), 2 * type.bytes) << type.name;
    PythonScope scope;
    scope.set_array("x", array);
    const std::string_view shown = is_narrow_float(type) ? "float32" : type.name;
    const Value same = value_of(
        "int(x.dtype.name == '" + std::string(shown) + "' and x[0] == 1 and x[1] == 0)", scope);
    EXPECT_EQ(scalar_bytes(same, dtype("int8")).at(0), std::byte{1}) << type.name;
  }
}

TEST(ToArray, Float16) {
  EXPECT_EQ(array_elements<uint16_t>("[1.0, -2.0, 65504, np.inf]", "float16"),
            (std::vector<uint16_t>{0x3C00, 0xC000, 0x7BFF, 0x7C00}));
}

TEST(ToArray, FloatsThatNumPyLacks) {
  EXPECT_EQ(array_elements<uint16_t>("[1.0, -2.0, 1 + 2**-8, 1 + 3 * 2**-8, np.inf]", "bfloat16"),
            (std::vector<uint16_t>{0x3F80, 0xC000, 0x3F80, 0x3F82, 0x7F80}))
      << "ties go to even";
  EXPECT_EQ(array_elements<uint8_t>("[1.0, -448, 2**-9, 2**-10]", "float8_e4m3fn"),
            (std::vector<uint8_t>{0x38, 0xFE, 0x01, 0x00}));
  EXPECT_EQ(array_elements<uint8_t>("[1.0, 57344, -np.inf]", "float8_e5m2"),
            (std::vector<uint8_t>{0x3C, 0x7B, 0xFC}));
  EXPECT_THAT(refusal("[1e3]", "float8_e4m3fn"), HasSubstr("1000 is too large for float8_e4m3fn"));
  EXPECT_THAT(refusal("[np.inf]", "float8_e4m3fn"), HasSubstr("has no infinity"));
}

TEST(ToArray, Structs) {
  struct Both {
    float x;
    int16_t y[2];
  };
  const auto both = [](const std::string& text) {
    const Array array = to_array(value_of(text), dtype("{x:float32,y:int16[2]}"));
    std::vector<Both> all(static_cast<size_t>(array.size()));
    std::memcpy(all.data(), array.bytes().data(), array.nbytes());
    return all;
  };
  for (const char* text : {"[(1, (2, 3)), (4, (5, 6))]", "dict(x=[1, 4], y=[[2, 3], [5, 6]])"}) {
    const std::vector<Both> all = both(text);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].x, 4);
    EXPECT_EQ(all[1].y[1], 6);
  }
  EXPECT_THAT(refusal("dict(x=[1])", "{x:float32,y:int16[2]}"), HasSubstr("no field `y`"));
  EXPECT_THAT(refusal("dict(x=[1], y=[[2, 70000]])", "{x:float32,y:int16[2]}"),
              ::testing::AnyOf(HasSubstr("not in the range of int16"), HasSubstr("70000")));
}

TEST(ToArray, CastsWithinTheKind) {
  EXPECT_EQ(array_elements<float>("np.array([0.1])", "float32"), (std::vector<float>{0.1F}));
  EXPECT_EQ(array_elements<double>("np.arange(3)", "float64"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(array_elements<float>("np.arange(3) > 1", "float32"), (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(array_elements<uint8_t>("np.array([0, 255])", "uint8"), (std::vector<uint8_t>{0, 255}));
  EXPECT_EQ(array_elements<int64_t>("np.uint64(5)", "int64"), (std::vector<int64_t>{5}));
  EXPECT_EQ(array_elements<float>("np.array([1.5], '>f8')", "float32"), (std::vector<float>{1.5F}));
  EXPECT_THAT(refusal("[1.0]", "int32"), HasSubstr("float64, which is not cast to int32"));
  EXPECT_THAT(refusal("[1]", "bool"), HasSubstr("int64, which is not cast to bool"));
  EXPECT_THAT(refusal("1j", "float64"), HasSubstr("complex128"));
  EXPECT_THAT(refusal("'7'", "int32"), HasSubstr("text"));
  EXPECT_THAT(refusal("None", "float32"), HasSubstr("Python objects (NoneType)"));
  EXPECT_THAT(refusal("True", "int32"), HasSubstr("boolean"));
  EXPECT_THAT(refusal("[[1], [2, 3]]", "int32"), HasSubstr("inhomogeneous"));
}

TEST(ToArray, IntegersAreRangeChecked) {
  EXPECT_EQ(refusal("[[1, 2], [3, -7]]", "uint32"),
            "the value -7 at [1, 1] is not in the range of uint32, 0 to 4294967295");
  EXPECT_EQ(refusal("2**31", "int32"),
            "the value 2147483648 is not in the range of int32, -2147483648 to 2147483647");
  EXPECT_THAT(refusal("2**64", "uint64"), HasSubstr("objects (int)"));
  EXPECT_THAT(refusal("np.uint64(2**63)", "int64"), HasSubstr("9223372036854775808"));
  EXPECT_THAT(refusal("[-1, 2**63]", "uint64"), HasSubstr("Python objects (int)"));
  // NumPy alone would round the first list through float64.
  EXPECT_EQ(array_elements<uint64_t>("[2**63 + 1, 1]", "uint64"),
            (std::vector<uint64_t>{(uint64_t{1} << 63) + 1, 1}));
  EXPECT_EQ(array_elements<uint64_t>("2**64 - 1", "uint64"), (std::vector<uint64_t>{UINT64_MAX}));
  EXPECT_EQ(array_elements<int64_t>("-2**63", "int64"), (std::vector<int64_t>{INT64_MIN}));
}

TEST(ToArray, AFiniteValueNeverBecomesInfinity) {
  EXPECT_THAT(refusal("[1.0, 1e300]", "float32"), HasSubstr("too large for float32"));
  EXPECT_THAT(refusal("65520.0", "float16"), HasSubstr("too large for float16"));
  EXPECT_THAT(refusal("[100000]", "float16"), HasSubstr("too large for float16"));
  const auto values = array_elements<float>("[np.inf, -np.inf, np.nan, 1e-300]", "float32");
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], 0) << "underflow is rounding";
}

TEST(ToArray, ShapesAndStrides) {
  EXPECT_EQ(to_array(value_of("3.0"), dtype("float32")).shape(), Shape{});
  EXPECT_EQ(to_array(value_of("np.zeros((2, 0, 3))"), dtype("float32")).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(array_elements<int32_t>("np.arange(6).reshape(2, 3).T", "int32"),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(array_elements<int32_t>("np.arange(6)[::-2]", "int32"),
            (std::vector<int32_t>{5, 3, 1}));
  const Array filled = to_array(value_of("7"), dtype("int16"), Shape{2, 2});
  EXPECT_EQ(elements<int16_t>(filled.bytes()), (std::vector<int16_t>{7, 7, 7, 7}));
  const Error error =
      error_of([] { to_array(value_of("np.zeros(3)"), dtype("float32"), Shape{2}); });
  EXPECT_EQ(error.message(), "the value has shape (3,), not (2,)");
}

TEST(ScalarBytes, AreOneElement) {
  EXPECT_EQ(elements<uint32_t>(scalar_bytes(value_of("2**32 - 1"), dtype("uint32"))),
            std::vector<uint32_t>{UINT32_MAX});
  EXPECT_EQ(elements<uint8_t>(scalar_bytes(value_of("1 < 2"), dtype("bool"))),
            std::vector<uint8_t>{1});
  const Error error = error_of([] { scalar_bytes(value_of("[1]"), dtype("int32")); });
  EXPECT_THAT(error.message(), HasSubstr("shape (1,), not a single int32"));
}

// Converts a reference; returns its dtype, and its elements in float64.
std::pair<std::string, std::vector<double>> reference(const std::string& text,
                                                      std::string_view type, const Shape& shape) {
  const ReferenceValue value = to_reference(value_of(text), dtype(type), shape);
  EXPECT_EQ(value.shape, shape);
  EXPECT_EQ(value.bytes.size(), static_cast<size_t>(element_count(shape)) * value.dtype.bytes);
  Array copy(value.dtype, value.shape);
  std::ranges::copy(value.bytes, copy.bytes().begin());
  PythonScope scope;
  scope.set_array("x", copy);
  const Value wide = value_of("x.astype('float64')", scope);
  return {std::string(value.dtype.name),
          elements<double>(to_array(wide, dtype("float64")).bytes())};
}

using Reference = std::pair<std::string, std::vector<double>>;

TEST(ToReference, IsNeverNarrowerThanTheOutput) {
  EXPECT_EQ(reference("np.float64([1, 2])", "float32", {2}), (Reference{"float64", {1, 2}}));
  EXPECT_EQ(reference("np.float16([1, 2])", "float32", {2}), (Reference{"float32", {1, 2}}));
  EXPECT_EQ(reference("np.float32([1, 2])", "float16", {2}), (Reference{"float32", {1, 2}}));
  EXPECT_EQ(reference("np.arange(2)", "int32", {2}), (Reference{"int64", {0, 1}}));
  EXPECT_EQ(reference("np.int8([-1, 2])", "uint32", {2}), (Reference{"int32", {-1, 2}}));
  EXPECT_EQ(reference("[2**63, 1]", "uint64", {2}), (Reference{"uint64", {0x1p63, 1}}));
  EXPECT_EQ(reference("np.arange(2) > 0", "int32", {2}), (Reference{"int32", {0, 1}}));
  EXPECT_EQ(reference("np.arange(2)", "float32", {2}), (Reference{"int64", {0, 1}}));
  EXPECT_EQ(reference("np.int8([1, -2])", "float64", {2}), (Reference{"int8", {1, -2}}));
  EXPECT_EQ(reference("np.arange(2) > 0", "float16", {2}), (Reference{"float16", {0, 1}}));
  EXPECT_EQ(reference("np.arange(2) > 0", "bool", {2}), (Reference{"bool", {0, 1}}));
  EXPECT_EQ(reference("np.array([1.5], '>f4')", "float32", {1}), (Reference{"float32", {1.5}}));
}

// NumPy calls them float64.
TEST(ToReference, NoElementsAreOfAnyDtype) {
  for (const DType& type : all_dtypes()) {
    if (!is_single_number(type)) continue;  // they are references by their parts
    const std::string name(type.kind == DTypeKind::floating ? "float64" : type.name);
    EXPECT_EQ(reference("[]", type.name, {0}), (Reference{name, {}}));
    EXPECT_EQ(reference("[[], []]", type.name, {2, 0}), (Reference{name, {}}));
    EXPECT_EQ(to_array(value_of("[]"), type).shape(), Shape{0});
  }
  const Error error =
      error_of([] { to_reference(value_of("np.zeros(0, np.float32)"), dtype("int32"), {0}); });
  EXPECT_THAT(error.message(), HasSubstr("float32, the output int32")) << "who says so means it";
  error_of([] { to_reference(value_of("[]"), dtype("int32"), {1}); });
}

TEST(ToReference, MaskedElementsAreNone) {
  const std::string masked = "np.ma.array([1, 2], mask=[False, True])";
  EXPECT_THAT(error_of([&] { to_reference(value_of(masked), dtype("int64"), {2}); }).message(),
              HasSubstr("masked elements"));
  EXPECT_THAT(refusal(masked, "int64"), HasSubstr("masked elements"));
  EXPECT_EQ(reference("np.ma.array([1, 2])", "int64", {2}), (Reference{"int64", {1, 2}}));
  EXPECT_EQ(reference("np.ma.array([1, 2], mask=[False, True]).filled(7)", "int64", {2}),
            (Reference{"int64", {1, 7}}));
  EXPECT_EQ(error_of([&] { to_tolerance(value_of(masked), {2}); }).code(), ExitCode::usage);
}

TEST(ToReference, HasTheOutputsShapeOrIsOneForOne) {
  EXPECT_EQ(reference("3.5", "float32", {1}), (Reference{"float64", {3.5}}));
  EXPECT_EQ(reference("[[3.5]]", "float32", {}), (Reference{"float64", {3.5}}));
  EXPECT_EQ(reference("np.zeros((0, 3))", "float32", {0, 3}), (Reference{"float64", {}}));
  EXPECT_EQ(reference("np.arange(6.0).reshape(2, 3).T", "float64", {3, 2}),
            (Reference{"float64", {0, 3, 1, 4, 2, 5}}));
  const auto refused = [](const std::string& text, const Shape& shape) {
    return error_of(
        [&] { to_reference(value_of(text, {}, ExitCode::verdict), dtype("float32"), shape); });
  };
  const Error error = refused("np.zeros(3)", {4});
  EXPECT_EQ(error.what(),
            std::string("x.yaml:3:10: error: the reference has shape (3,), the output (4,)\n"
                        "  hint: a reference is not broadcast; use np.broadcast_to if that "
                        "is meant"));
  EXPECT_EQ(error.code(), ExitCode::verdict);
  EXPECT_THAT(refused("np.zeros((2, 3))", {3, 2}).hint(), HasSubstr("reshape"));
  refused("1.0", {4});
  refused("[1.0]", {0});
}

TEST(ToReference, RefusesOtherKinds) {
  const auto refused = [](const std::string& text, std::string_view type) {
    return error_of([&] { to_reference(value_of(text), dtype(type), {1}); }).message();
  };
  EXPECT_THAT(refused("[1.5]", "int32"), HasSubstr("float64, the output int32"));
  EXPECT_THAT(refused("[1]", "bool"), HasSubstr("int64, the output bool"));
  EXPECT_THAT(refused("[1j]", "float32"), HasSubstr("complex128"));
  EXPECT_THAT(refused("['a']", "float32"), HasSubstr("text"));
  EXPECT_THAT(refused("[None]", "float32"), HasSubstr("objects"));
  EXPECT_THAT(refused("[2**64]", "uint64"), HasSubstr("objects (int)"));
  if (sizeof(long double) > sizeof(double)) {
    EXPECT_THAT(refused("np.ones(1, np.longdouble)", "float32"), HasSubstr("cannot be compared"));
  }
}

TEST(ToReference, OfAnInputIsAViewThatOutlivesIt) {
  std::optional<ReferenceValue> value;
  const std::byte* address = nullptr;
  {
    Array a(dtype("float32"), {4});
    address = a.bytes().data();
    PythonScope scope;
    scope.set_array("a", a);
    value = to_reference(value_of("a", scope), a.dtype(), a.shape());
  }
  EXPECT_EQ(value->bytes.data(), address) << "no copy";
  EXPECT_EQ(elements<float>(value->bytes), (std::vector<float>{0, 0, 0, 0}));
}

TEST(ToTolerance, IsOneValueOrBroadcast) {
  const ReferenceValue one = to_tolerance(value_of("1e-5"), {2, 3});
  EXPECT_EQ(one.shape, Shape{});
  EXPECT_EQ(elements<double>(one.bytes), std::vector<double>{1e-5});
  const ReferenceValue rows = to_tolerance(value_of("np.float32([[1], [2]])"), {2, 3});
  EXPECT_EQ(rows.shape, (Shape{2, 3}));
  EXPECT_EQ(elements<double>(rows.bytes), (std::vector<double>{1, 1, 1, 2, 2, 2}));
  for (const char* text : {"-1e-9", "np.nan", "[np.inf, 1, 1]", "np.zeros(2)", "'x'", "True"}) {
    EXPECT_EQ(error_of([&] {
                to_tolerance(value_of(text), {2, 3});
              }).code(),
              ExitCode::usage)
        << text;
  }
}

TEST(Array, RefusesShapesThatCannotBe) {
  EXPECT_EQ(error_of([] { Array(dtype("float32"), {-1}); }).code(), ExitCode::usage);
  EXPECT_EQ(error_of([] {
              Array(dtype("float64"), {int64_t{1} << 62, 4});
            }).code(),
            ExitCode::usage);
  const auto memory = std::make_shared<SharedMemory>(SharedMemory::create(15));
  EXPECT_EQ(error_of([&] { Array(dtype("float32"), {4}, memory); }).code(), ExitCode::internal);
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text({2, 3}), "(2, 3)");
  EXPECT_EQ(element_count({5, 0, 7}), 0);
  EXPECT_EQ(element_count({}), 1);
}

}  // namespace
}  // namespace warpmark
