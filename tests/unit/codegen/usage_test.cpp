// The use that an operation makes of its arrays.
#include "codegen/usage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/vectors.hpp"

namespace warpmark::codegen {
namespace {

using plugin::Json;

Expression expression(const std::string& text, const std::string& preamble = "") {
  Json kernel = Json::object();
  if (!preamble.empty()) kernel["preamble"] = preamble;
  return {text, "/kernel/operation", kernel};
}
Usage use(const std::string& text, const std::string& preamble = "") {
  return expression(text, preamble).of("x");
}

TEST(Usage, OfOwnElementsOnly) {
  for (const char* text :
       {"z[i] = x[i]", "z[ i ] = f(x [i] & x[/* */ i])", "x[i] *= 2", "z[i] = a & x[i]",
        "z[i] = (a) & x[i]", "z[i] = p.x + x[i]", "z[i] = x[i] /* x[i+1] */",
        "z[i] = x[i]; // x[0]", "z[i] = b ? x[i] : \"x\"[0]", "return x[i] - -i"}) {
    EXPECT_TRUE(use(text).own_only) << text;
  }
}

TEST(Usage, OfOtherElements) {
  for (const char* text :
       {"z[i] = x[i + 1]", "z[i] = x[n-1-i]", "z[i] = *x", "f(x)", "z[i] = x[i] + x[0]",
        "z[i] = *(&x[i] + 1)", "atomicAdd(&x[i], 1)", "f(&x[i])", "z[i] = x[(int)i]", "z[i] = 1",
        // another i
        "for (int i = 0; i < 3; ++i) z[0] += x[i]", "{ long i = 3; z[0] = x[i]; }",
        "auto [i, j] = f(); z[0] = x[i]", "auto &i = q; z[0] = x[i]", "++i; z[i] = x[i]",
        "i += 1; z[i] = x[i]"}) {
    EXPECT_FALSE(use(text).own_only) << text;
  }
  EXPECT_FALSE(use("z[i] = NEXT + x[i]", "#define NEXT x[i + 1]").own_only);
  EXPECT_FALSE(use("z[i] = x[i]; STEP; ", "#define STEP ++i").own_only);
}

TEST(Usage, Writes) {
  for (const char* text : {"x[i] = 1", "x[i + 1] += 1", "x[i]++", "--x[i]", "x[i].y = 1",
                           "x[f(i, a[0])] <<= 1", "z[i] = x[i] = 0"}) {
    EXPECT_TRUE(use(text).written) << text;
  }
  for (const char* text : {"z[i] = x[i]", "z[i] = x[i] == 1", "z[i] = p.x[i] = 1", "x[i] <= 1"}) {
    EXPECT_FALSE(use(text).written) << text;
  }
}

TEST(Usage, AssignedWhateverHappens) {
  for (const char* text : {"x[i] = 1", "float t = a; x[i] = t * t;", "x[i] = c ? 1 : 2",
                           "x[i] = 1; x[i] += x[i]", "x[i] = f(a, b); if (a) return;"}) {
    EXPECT_TRUE(use(text).always_assigned) << text;
  }
  for (const char* text :
       {"x[i] += 1", "if (a) x[i] = 1", "return; x[i] = 1", "{ x[i] = 1; }", "x[i] = x[i] + 1",
        "y[i] = x[i]; x[i] = 1", "MAYBE x[i] = 1", "for (;;) x[i] = 1", "x[0] = 1", "x[i].y = 1",
        "x[i] == 1", "a = 1 ? 2 : 3; f(x[i])"}) {
    EXPECT_FALSE(use(text).always_assigned) << text;
  }
  EXPECT_FALSE(use("LEAVE; x[i] = 1", "#define LEAVE if (i) return").always_assigned);
  EXPECT_TRUE(use("x[i] = TWO", "#define TWO 2").always_assigned);
  EXPECT_FALSE(use("x[i] = 1", "#include \"macros.h\"").always_assigned);
}

TEST(Usage, DirectivesAndTrigraphsAreRefused) {
  EXPECT_NO_THROW(expression("\n#pragma unroll\nfor (;;) break;"));
  EXPECT_THROW(expression("#define x y"), plugin::Failure);
  EXPECT_THROW(expression("z[i] = 1;\n#endif"), plugin::Failure);
  EXPECT_THROW(expression("z[i] = 1; ?\?>"), plugin::Failure);
}

Parameter array(const std::string& name, uint32_t bytes, const std::string& kind) {
  Parameter parameter;
  parameter.name = name;
  parameter.is_array = true;
  parameter.bytes = bytes;
  parameter.kind = kind;
  return parameter;
}

TEST(Layout, GivesEveryTypeAnAccessOf4To16Bytes) {
  for (const uint32_t a : {1U, 2U, 4U, 8U}) {
    for (const uint32_t b : {1U, 2U, 4U, 8U}) {
      const Layout layout =
          lay_out({array("x", a, "in"), array("z", b, "out")}, expression("z[i] = x[i]"));
      const auto width = static_cast<uint32_t>(layout.width);
      EXPECT_GE(width * std::min(a, b), 4U);
      EXPECT_GE(width * std::max(a, b), 16U);
      EXPECT_LE(width * std::min(a, b), 16U);
    }
  }
}

TEST(Layout, DoesWithoutVectorsWhereAnOutputIsWrittenElsewhere) {
  const Layout layout =
      lay_out({array("x", 4, "in"), array("z", 4, "out")}, expression("z[n - 1 - i] = x[i]"));
  EXPECT_EQ(layout.width, 1);
  EXPECT_FALSE(layout.accesses[0].lane);
}

TEST(Layout, KeepsAnInputThatIsReadElsewherePlain) {
  const Layout layout = lay_out({array("x", 4, "in"), array("y", 4, "in"), array("z", 4, "out")},
                                expression("z[i] = x[i + 1] + y[i]"));
  EXPECT_EQ(layout.width, 4);
  EXPECT_FALSE(layout.accesses[0].lane);
  EXPECT_TRUE(layout.accesses[1].lane);
  EXPECT_TRUE(layout.accesses[2].stores);
  EXPECT_FALSE(layout.accesses[2].loads);
}

TEST(Layout, ReadsAnOutputFirstThatMayStay) {
  EXPECT_TRUE(lay_out({array("z", 4, "out")}, expression("if (i > 2) z[i] = 1")).accesses[0].loads);
}

}  // namespace
}  // namespace warpmark::codegen
