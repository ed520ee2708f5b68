#include "suite/select_expression.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace warpmark {
namespace {

bool matches(const std::string& expression, const std::string& id) {
  return SelectExpression::parse(expression, "-k").matches(id);
}

std::string selection_error(const std::string& expression) {
  try {
    SelectExpression::parse(expression, "-k");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  return "none";
}

const char* const kId = "Reductions/dot.dtype=float32,n=~4";

TEST(SelectExpression, WordsAreSubstringsInAnyCase) {
  for (const char* word : {"dot", "DOT", "reductions/DOT", "n=-4", "n=~4", "float32,n", ".dtype"}) {
    EXPECT_TRUE(matches(word, kId)) << word;
  }
  for (const char* word : {"dots", "n=4", "dot,dtype", "Reductions.dot"}) {
    EXPECT_FALSE(matches(word, kId)) << word;
  }
}

TEST(SelectExpression, StarsFitTheWholeId) {
  for (const char* word : {"*", "red*", "*~4", "*dot*", "r*/*.*=*", "***4", "*-4"}) {
    EXPECT_TRUE(matches(word, kId)) << word;
  }
  for (const char* word : {"dot*", "*dot", "*n=4", "r*x*", "reductions/dot.*5"}) {
    EXPECT_FALSE(matches(word, kId)) << word;
  }
  EXPECT_TRUE(matches("*n=4", "a.n=4"));
  EXPECT_FALSE(matches("*n=4", "a.n=400"));
  // A search that tries every match would take for ever with this pattern.
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(SelectExpression, NothingHoldsForEverything) {
  EXPECT_TRUE(matches("", kId));
  EXPECT_TRUE(matches(" \t", kId));
}

TEST(SelectExpression, PrecedenceIsPythons) {
  EXPECT_TRUE(matches("a or b and c", "a"));
  EXPECT_FALSE(matches("(a or b) and c", "a"));
  EXPECT_TRUE(matches("not a and b", "b"));
  EXPECT_FALSE(matches("not (a or b)", "b"));
  EXPECT_TRUE(matches("not not a", "a"));
  EXPECT_TRUE(matches("not a or a", "a"));
  EXPECT_TRUE(matches("(a)and(b)", "ab"));
  EXPECT_TRUE(matches("android", "android"));  // no `and`
  EXPECT_TRUE(matches("nothing or order", "order"));
}

// Against a table of truth of the same tree, written with all parentheses that it needs.
TEST(SelectExpression, AgreesWithItsTruth) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  for (int round = 0; round < 500; ++round) {
    const unsigned truth = pick(8);  // of x, y, z
    std::string id = "_";
    for (unsigned i = 0; i < 3; ++i) {
      if ((truth >> i & 1U) != 0) id += static_cast<char>('x' + i);
    }
    std::function<std::pair<std::string, bool>(int)> make = [&](int depth) {
      const unsigned kind = depth == 0 ? 0 : pick(4);
      if (kind == 0) {
        const unsigned i = pick(3);
        return std::make_pair(std::string(1, static_cast<char>('x' + i)), (truth >> i & 1U) != 0);
      }
      const auto [left, left_holds] = make(depth - 1);
      if (kind == 1) return std::make_pair("not (" + left + ")", !left_holds);
      const auto [right, right_holds] = make(depth - 1);
      return std::make_pair("(" + left + (kind == 2 ? ") and (" : ") or (") + right + ")",
                            kind == 2 ? left_holds && right_holds : left_holds || right_holds);
    };
    const auto [text, holds] = make(5);
    EXPECT_EQ(matches(text, id), holds) << text << " over " << id;
  }
}

TEST(SelectExpression, MistakesNameTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"a and", "a word is missing at the end, at column 6 of `a and`"},
      {"and a", "a word is missing before `and`, at column 1 of `and a`"},
      {"a b", "`and` or `or` is missing before `b`, at column 3 of `a b`"},
      {"a or (b", "this `(` is never closed, at column 6 of `a or (b`"},
      {"(a b)", "`and` or `or` is missing before `b`, at column 4 of `(a b)`"},
      {"a)", "this `)` closes nothing, at column 2 of `a)`"},
      {"()", "a word is missing before `)`, at column 2 of `()`"},
      {"not", "a word is missing at the end, at column 4 of `not`"},
      {"a or 'b'", "no case id has `'`, at column 6 of `a or 'b'`"},
      {"\xC3\xA9", "no case id has `\xC3\xA9`, at column 1 of `\xC3\xA9`"},
      {"a::b", "no case id has `:`, at column 2 of `a::b`"}};
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(selection_error(text), "-k: " + std::string(message));
  }
}

TEST(SelectExpression, HostileTextNeitherOverflowsNorEscapes) {
  EXPECT_NE(selection_error(std::string(100'000, '(')).find("nested too deep"), std::string::npos);
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_NE(selection_error(nots + "a").find("nested too deep"), std::string::npos);
  EXPECT_EQ(selection_error("\x1b[31m").find('\x1b'), std::string::npos);
  EXPECT_NE(selection_error(std::string("a\0b", 3)), "none");
  std::string wide = "a";
  for (int i = 0; i < 20'000; ++i) wide += " or a";
  EXPECT_TRUE(matches(wide + " or b", "b"));
}

TEST(SelectExpression, OneFromAFileHasItsPlace) {
  try {
    SelectExpression::parse("a or", "`select`", {"ci.yaml", 3, 12});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), (Position{"ci.yaml", 3, 16}));
  }
}

}  // namespace
}  // namespace warpmark
