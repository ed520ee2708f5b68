// Finding includes in a text, and the files behind them.
#include "compiler/includes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/file.hpp"
#include "compiler/include_scan.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> out;
  for (const IncludeDirective& one : scan_includes(text)) {
    out.push_back(one.computed ? "computed" : one.angled ? "<" + one.name + ">" : one.name);
  }
  return out;
}

TEST(ScanIncludes, FindsEveryForm) {
  EXPECT_THAT(
      names("#include \"a.h\"\n  #  include <b.h>\n%:include \"c.h\"\n\?\?=include \"d.h\""),
      ElementsAre("a.h", "<b.h>", "c.h", "d.h"));
  EXPECT_THAT(names("#inc\\\nlude \"a\\\n.h\"\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("/* x */ # /* y */ include /* z */ \"a.h\" // t\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("/* over\n lines */ #include \"a.h\"\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("#if 0\ndon't\n#include \"a.h\"\n#endif\n"), ElementsAre("a.h"));
}

TEST(ScanIncludes, ComputedFormsAreSaid) {
  EXPECT_THAT(names("#define X \"a.h\"\n#include X\n"), ElementsAre("computed"));
  EXPECT_THAT(names("#include_next <a.h>\n#import \"b.h\"\n#embed \"c\"\n#include \"open\n"),
              ElementsAre("computed", "computed", "computed", "computed"));
}

TEST(ScanIncludes, CommentsAndLiteralsHideNothingAndShowNothing) {
  EXPECT_THAT(names("// #include \"a.h\"\n/*\n#include \"b.h\"\n*/ int x;\n"), IsEmpty());
  EXPECT_THAT(names("// joined \\\n#include \"a.h\"\n"), IsEmpty());
  EXPECT_THAT(names("const char* s = R\"x(\n#include \"a.h\"\n)x\";\n#include \"b.h\"\n"),
              ElementsAre("b.h"));
  EXPECT_THAT(names("const char* s = \"/*\";\n#include \"a.h\"\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("char c = '\"'; // '\n#include \"a.h\"\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("int n = 1'000'000; char d = '\\'';\n#include \"a.h\"\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("x #include \"a.h\"\n"), IsEmpty());
  EXPECT_THAT(names("#includes \"a.h\"\n#define include \"b.h\"\n"), IsEmpty());
}

TEST(ScanIncludes, PlacesAreThoseOfTheOriginal) {
  const std::string text = "int a; \\\n\n#include \"dir/a.h\"\n";
  const std::vector<IncludeDirective> found = scan_includes(text);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text.substr(found[0].begin, found[0].end - found[0].begin), "dir/a.h");
  EXPECT_EQ(found[0].line, 3);
}

TEST(ScanIncludes, OddTextsEnd) {
  for (const char* text : {"", "#", "#include", "#include <", "#include \"", "/*", "//", "\\",
                           "R\"", "R\"(", "'", "\"", "#include /*", "%:", "# \\\n", "1'"}) {
    names(text);
  }
}

// Directives, and what may hide them, shift them or look like them, in any order.
TEST(ScanIncludes, TheShorterWayFindsTheSame) {
  constexpr std::array<std::string_view, 38> kParts = {"#include \"a.h\"\n",
                                                       "#include <b.h>\n",
                                                       "  # include \"c.h\" ",
                                                       "#include X\n",
                                                       "#include F(x)\n",
                                                       "#include",
                                                       "include \"d.h\"",
                                                       "_next <e.h>\n",
                                                       "#import \"f.h\"\n",
                                                       "%:include <g.h>\n",
                                                       "\?\?=include <h.h>\n",
                                                       "#embed \"i\"\n",
                                                       "#",
                                                       "%:",
                                                       "/*",
                                                       "*/",
                                                       "//",
                                                       "/",
                                                       "*",
                                                       "\\\n",
                                                       "\\ \n",
                                                       "\\",
                                                       "\n",
                                                       " ",
                                                       "\t",
                                                       "\"",
                                                       "'",
                                                       "R\"(",
                                                       ")\"",
                                                       "R\"x(",
                                                       ")x\"",
                                                       "int a;\n",
                                                       "1'000",
                                                       "#define X \\\n",
                                                       "#if 0\n",
                                                       "inc\\\nlude",
                                                       "__has_include(<j.h>)",
                                                       "\r\n"};
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto same = [](const IncludeDirective& a, const IncludeDirective& b) {
    return a.name == b.name && a.angled == b.angled && a.computed == b.computed &&
           a.begin == b.begin && a.end == b.end && a.line == b.line && a.macro == b.macro &&
           a.argument == b.argument;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t length = 1 + random() % 12; length > 0; --length)
      text += kParts[random() % kParts.size()];
    const auto quick = scan_includes(text), slow = scan_includes_by_token(text);
    ASSERT_TRUE(std::ranges::equal(quick, slow, same)) << testing::PrintToString(text);
  }
}

class Resolve : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / name, text);
  }
  IncludeClosure resolve(const std::string& source, const std::string& name = "k.cu") {
    return resolve_includes(source, name, search_);
  }
  static std::vector<std::string> spellings(const IncludeClosure& closure) {
    std::vector<std::string> out;
    for (const Header& header : closure.headers) out.push_back(header.spelling);
    return out;
  }

  TemporaryFolder folder_;
  IncludeSearch search_{folder_.path(), {}, {}, "/suite/"};
};

TEST_F(Resolve, FollowsHeadersFromWhereTheyLie) {
  write("a/one.h", "#include \"two.h\"\n#include \"../three.h\"\n");
  write("a/two.h", "#include \"one.h\"\n");  // a circle
  write("three.h", "");
  const IncludeClosure closure = resolve("#include \"a/one.h\"\n");
  EXPECT_THAT(spellings(closure),
              testing::UnorderedElementsAre("a/one.h", "two.h", "../three.h", "one.h"));
  EXPECT_EQ(closure.headers[0].text.substr(0, 26), "#line 1 \"/suite/a/one.h\"\n#");
  EXPECT_EQ(closure.not_cacheable, "");
}

TEST_F(Resolve, ASpellingThatMeansTwoFilesIsMadeUnique) {
  write("a/util.h", "#include \"detail.h\"\n");
  write("a/detail.h", "int in_a;");
  write("b/util.h", "#include \"detail.h\"\n");
  write("b/detail.h", "int in_b;");
  const IncludeClosure closure = resolve("#include \"a/util.h\"\n#include \"b/util.h\"\n");
  EXPECT_THAT(spellings(closure),
              ElementsAre("a/util.h", "b/util.h", "detail.h", "/suite/b/detail.h"));
  EXPECT_THAT(closure.headers[1].text, HasSubstr("#include \"/suite/b/detail.h\""));
  EXPECT_THAT(closure.headers[3].text, HasSubstr("in_b"));
}

TEST_F(Resolve, ShimsComeWithTheirOwnIncludes) {
  const IncludeClosure closure = resolve("#include <cstdlib>\n#include <cuda_fp16.h>\n");
  // A header of the toolkit, which is not read here, may want any other.
  ASSERT_GT(closure.headers.size(), 20U);
  EXPECT_EQ(closure.headers[0].spelling, "cstdlib");
  EXPECT_EQ(closure.headers[1].spelling, "stddef.h");
  EXPECT_EQ(closure.headers[0].path, "");
}

TEST_F(Resolve, AFileOfTheSuiteWinsOverAShimOnlyInQuotes) {
  write("math.h", "int own;");
  EXPECT_THAT(resolve("#include \"math.h\"\n").headers[0].text, HasSubstr("int own;"));
  EXPECT_THAT(resolve("#include <math.h>\n").headers[0].text, HasSubstr("M_PI"));
}

TEST_F(Resolve, IncludeFoldersServeBothForms) {
  write("common/c.h", "int c;");
  search_.folders = {folder_.path() / "common"};
  EXPECT_THAT(spellings(resolve("#include <c.h>\n")), ElementsAre("c.h"));
  EXPECT_THAT(spellings(resolve("#include \"c.h\"\n")), ElementsAre("c.h"));
}

TEST_F(Resolve, AFileHasOneNameWhereAsked) {
  search_.one_name_each = true;
  write("lib/once.h", "#pragma once\nint once;\n");
  write("lib/user.h", "#include \"once.h\"\n");
  search_.folders = {folder_.path() / "lib", folder_.path()};
  const IncludeClosure closure = resolve(
      "#include <once.h>\n#include <lib/once.h>\n#include \"lib/once.h\"\n#include "
      "\"lib/user.h\"\n");
  EXPECT_THAT(spellings(closure), ElementsAre("once.h", "/suite/lib/user.h"));
  EXPECT_EQ(closure.source,
            "#include <once.h>\n#include <once.h>\n#include \"once.h\"\n#include "
            "\"/suite/lib/user.h\"\n");
  EXPECT_THAT(closure.headers[1].text, HasSubstr("#include \"once.h\""));
}

TEST_F(Resolve, AQuotedNameIsNotTheToolkitsWhereAsked) {
  search_.one_name_each = true;
  write("mma.h", "int own;\n");
  const IncludeClosure closure = resolve("#include \"mma.h\"\n#include <mma.h>\n");
  EXPECT_EQ(closure.headers[0].spelling, "/suite/mma.h");
  EXPECT_EQ(closure.source, "#include \"/suite/mma.h\"\n#include <mma.h>\n");
}

TEST_F(Resolve, MacrosThatNameHeadersAreFollowed) {
  search_.one_name_each = true;
  write("a/one.h", "int one;\n");
  write("a/config.h", "#define ONE \"one.h\"\n#define TWO <two.h>\n");
  write("two.h", "#include ONE\n");
  search_.folders = {folder_.path(), folder_.path() / "a"};
  const IncludeClosure closure = resolve("#include \"a/config.h\"\n#include TWO\n");
  EXPECT_EQ(closure.not_cacheable, "");
  EXPECT_THAT(spellings(closure), testing::IsSupersetOf({"two.h", "/suite/a/one.h", "one.h"}));
  EXPECT_THAT(resolve("#include NOWHERE\n").not_cacheable, HasSubstr("k.cu:1"));
  EXPECT_THAT(resolve("#define ONE JOIN(a)\n#include ONE\n").not_cacheable, HasSubstr("k.cu:2"));
}

// CuTe's headers name those of the standard library so.
TEST_F(Resolve, MacrosWithAnArgumentThatNameHeadersAreFollowed) {
  write("std/tuple.h", "#include OTHER\n");
  write("other.h", "");
  write("config.h", "#define HEADER(header) <std/header.h>\n#define OTHER \"other.h\"\n");
  search_.folders = {folder_.path()};
  const std::string config = "#include <config.h>\n";
  const IncludeClosure closure = resolve(config + "#include HEADER( tuple )\n");
  EXPECT_EQ(closure.not_cacheable, "");
  EXPECT_THAT(spellings(closure), testing::IsSupersetOf({"std/tuple.h", "other.h"}));
  // The toolkit's headers are left to the compiler.
  EXPECT_EQ(resolve(config + "#include HEADER(nowhere)\n").not_cacheable, "");
  for (const char* unknown : {"HEADER(a, b)", "HEADER(F(a))", "HEADER", "HEADER()", "OTHER(tuple)"})
    EXPECT_THAT(resolve(config + "#include " + unknown + "\n").not_cacheable, HasSubstr("k.cu:2"));
}

// CUB's headers name those of Thrust's systems so.
TEST_F(Resolve, MacrosWithinTheNameOfAHeaderAreReplaced) {
  write("system/cuda/policy.h", "");
  write("system/omp/policy.h", "");
  write("config.h",
        "#ifdef A\n#define SYSTEM cuda\n#else\n#define SYSTEM omp\n#endif\n"
        "#define ROOT system/SYSTEM\n#define POLICY <ROOT/policy.h>\n#define LOOP LOOP/x\n");
  search_.folders = {folder_.path()};
  const IncludeClosure closure = resolve("#include <config.h>\n#include POLICY\n");
  EXPECT_EQ(closure.not_cacheable, "");
  EXPECT_THAT(spellings(closure),
              testing::IsSupersetOf({"system/cuda/policy.h", "system/omp/policy.h"}));
  resolve("#include <config.h>\n#define ENDLESS <LOOP/a.h>\n#include ENDLESS\n");
}

TEST_F(Resolve, RootsKeepOtherFilesUnread) {
  write("sub/k.cu", "");
  write("sub/near.h", "");
  write("secret.h", "int secret;");
  std::filesystem::create_symlink(folder_.path() / "secret.h", folder_.path() / "sub" / "link.h");
  search_.folder = folder_.path() / "sub";
  search_.roots = {folder_.path() / "sub"};
  const std::string source =
      "#include \"../secret.h\"\n#include \"link.h\"\n#include \"near.h\"\n#include \"" +
      (folder_.path() / "secret.h").string() + "\"\n";
  for (const Header& header : resolve(source).headers) {
    EXPECT_TRUE(header.path.empty() || header.path == "near.h") << header.path;  // or a shim
  }
}

TEST_F(Resolve, ComputedIncludesAreNamed) {
  write("h.h", "\n#include WHAT\n");
  EXPECT_THAT(resolve("#include \"h.h\"\n").not_cacheable, HasSubstr("h.h:2 includes a name"));
}

}  // namespace
}  // namespace warpmark
