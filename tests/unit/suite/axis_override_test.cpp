#include "suite/axis_override.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

std::string override_error(const std::string& text) {
  try {
    parse_axis_override(text, "-a");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "none";
}

std::shared_ptr<const Suite> suite(const std::string& axes) {
  return parse_suite("warpmark: 1\nkernel: {source: void f(), entry: f}\naxes: " + axes +
                         "\narguments:\n  a: {out: 4}\nlaunch: {block: 1}\nreference: {a: 0}\n",
                     "/suites/t.yaml");
}

std::vector<std::string> ids(const std::string& axes, const std::vector<std::string>& overrides) {
  std::vector<Axis> read;
  for (const std::string& text : overrides) override_axis(read, parse_axis_override(text, "-a"));
  std::vector<std::string> found;
  for (const Case& one : cases(with_axes(suite(axes), read))) found.push_back(one.id);
  return found;
}

TEST(AxisOverride, IdsFollowFromTheValues) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("{n: [4]}", {"n=2**10,-1, 0.5"}), (Ids{"t.n=1024", "t.n=~1", "t.n=0.5"}));
  EXPECT_EQ(ids("{n: [4]}", {"n=min(8,9),max(1, (2)),'x'"}), (Ids{"t.n=8", "t.n=2", "t.n=x"}));
  EXPECT_EQ(ids("{w: [x]}", {"w='a,b' as a_b,float32,\" as \" as q"}),
            (Ids{"t.w=a_b", "t.w=float32", "t.w=q"}));
  EXPECT_EQ(ids("{n: [4, 5], m: [1, 2]}", {"m=7"}), (Ids{"t.n=4,m=7", "t.n=5,m=7"}));
  // Other suites keep what they have; the last override of an axis counts.
  EXPECT_EQ(ids("{n: [4]}", {"m=1"}), (Ids{"t.n=4"}));
  EXPECT_EQ(ids("{n: [4]}", {"n=1", "n=2"}), (Ids{"t.n=2"}));
}

TEST(AxisOverride, OtherValuesStayZipped) {
  const std::string zipped = "{k: [1, 2], m: {zip: k, values: [3, 4]}}";
  EXPECT_EQ(ids(zipped, {"k=5,6", "m=7,8"}), (std::vector<std::string>{"t.k=5,m=7", "t.k=6,m=8"}));
  EXPECT_THROW(ids(zipped, {"k=5"}), Error);
}

TEST(AxisOverride, ReadsBackWhatItWrites) {
  const std::vector<Axis> overrides = {
      parse_axis_override("w='a b' as a_b,'it\"s' as q,word,True,1e-7,-3,2**40,0.1,'True' as t,"
                          "'1' as one,'' as none,1 as first",
                          "-a")};
  std::vector<Case> all = cases(with_axes(suite("{w: [x]}"), overrides));
  ASSERT_EQ(all.size(), 12U);
  for (const Case& one : all) {
    const std::vector<std::string> texts = override_texts(one, overrides);
    ASSERT_EQ(texts.size(), 1U);
    const std::vector<Axis> again = {parse_axis_override(texts.front(), "-a")};
    const std::vector<Case> same = cases(with_axes(suite("{w: [x]}"), again));
    ASSERT_EQ(same.size(), 1U) << texts.front();
    EXPECT_EQ(same.front().id, one.id);
    EXPECT_EQ(same.front().point.front().value, one.point.front().value) << texts.front();
  }
  EXPECT_EQ(override_texts(all[0], overrides).front(), "w='a b' as a_b");
  EXPECT_EQ(override_texts(all[6], overrides).front(), "w=1099511627776");
}

TEST(AxisOverride, MistakesNameTheColumn) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"n", "-a: an axis and its values are wanted, at column 1 of `n`"},
           {"=4", "at column 1"},
           {"n=", "-a: a value is missing, at column 3 of `n=`"},
           {"n=4,,5", "a value is missing, at column 5"},
           {"n=4,5+m", "an axis value cannot use `m`, at column 7"},
           {"n=4, 5 as a-b",
            "the label `a-b` has characters that case ids cannot have, at "
            "column 11"},
           {"n=4 as ", "at column "},
           {"n=(4", "at column "},
           {"n='a", "at column "},
           {"n m=4", "at column "},
           {"n=1/0", "at column "}}) {
    EXPECT_NE(override_error(text).find(message), std::string::npos)
        << text << ": " << override_error(text);
    EXPECT_EQ(override_error(text).find("-a:1"), std::string::npos) << override_error(text);
  }
}

TEST(AxisOverride, ValuesThatNoIdCanHaveAreNamed) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"n='a b'", "the value `a b` of the axis `n`"},
           {"n=4,2+2", "two values of the axis `n` are `4`"}}) {
    try {
      ids("{n: [4]}", {text});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  }
}

TEST(AxisOverride, AnAxisOfNoSuiteIsAnErrorWithTheNearest) {
  const std::vector<std::shared_ptr<const Suite>> suites = {suite("{size: [4]}"),
                                                            suite("{dtype: [float32]}")};
  EXPECT_NO_THROW(require_axes(suites, {parse_axis_override("dtype=float64", "-a")}));
  try {
    require_axes(suites, {parse_axis_override("dtpe=float64", "-a")});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "error: no suite has an axis `dtpe`\n  hint: did you mean `dtype`?");
  }
}

}  // namespace
}  // namespace warpmark
