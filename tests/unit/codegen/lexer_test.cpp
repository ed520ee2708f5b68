// Tokens of CUDA C++, and texts that could end what is made around them.
#include "codegen/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warpmark/plugin.hpp"

namespace warpmark::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const std::string& source) {
  std::vector<std::string> all;
  for (const Token& token : lex(source, "/p")) all.push_back(token.text);
  return all;
}

TEST(Lexer, TakesTheLongestPunctuator) {
  EXPECT_THAT(texts("a>>=b<<c->d"), ElementsAre("a", ">>=", "b", "<<", "c", "->", "d"));
  EXPECT_THAT(texts("x[i]++==-1"), ElementsAre("x", "[", "i", "]", "++", "==", "-", "1"));
}

TEST(Lexer, NumbersAreOneToken) {
  EXPECT_THAT(texts("1e-5f+.5 0x1p+3 1'000 2.x"),
              ElementsAre("1e-5f", "+", ".5", "0x1p+3", "1'000", "2.x"));
}

TEST(Lexer, CommentsAreNone) {
  EXPECT_THAT(texts("a// }\nb/* } */c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(texts("a // goes on \\\n } \nb"), ElementsAre("a", "b"));
}

TEST(Lexer, StringsAndCharactersHoldBrackets) {
  EXPECT_THAT(texts(R"(f("}\"]", '}', '\''))"),
              ElementsAre("f", "(", R"("}\"]")", ",", "'}'", ",", R"('\'')", ")"));
  EXPECT_THAT(texts("R\"x(\")})x\" u8\"}\""), ElementsAre("R\"x(\")})x\"", "u8\"}\""));
}

TEST(Lexer, DigraphsAreBrackets) {
  EXPECT_THAT(texts("<% x<:i:> %>"), ElementsAre("{", "x", "[", "i", "]", "}"));
}

TEST(Lexer, CountsLines) {
  const std::vector<Token> tokens = lex("a\n/* \n */ b \\\n c", "/p");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].line, 3);
  EXPECT_EQ(tokens[2].line, 4);
  EXPECT_EQ(tokens[1].logical_line, tokens[2].logical_line);
}

struct Bad {
  const char* source;
  const char* message;
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.source;
}
class BadText : public testing::TestWithParam<Bad> {};

TEST_P(BadText, IsRefused) {
  try {
    require_balance(lex(GetParam().source, "/kernel/operation"), "/kernel/operation");
    FAIL() << "accepted";
  } catch (const plugin::Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr(GetParam().message));
    EXPECT_EQ(failure.pointer(), "/kernel/operation");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lexer, BadText,
    testing::Values(Bad{"z[i] = 1; }", "`}` closes nothing (line 1 of it)"},
                    Bad{"\n\nz[i] = 1; %>", "`}` closes nothing (line 3 of it)"},
                    Bad{"f(x[i)]", "`)` closes a bracket of another kind"},
                    Bad{"if (a) {", "`{` is not closed"}, Bad{"a /* b", "a comment `/*`"},
                    Bad{"\"abc", "a string does not end"}, Bad{"'a\n'", "a character does not end"},
                    Bad{"\"a\\", "a string does not end"}, Bad{"'\\", "a character does not end"},
                    Bad{"R\"x(}\"", "a raw string does not end"},
                    Bad{"R\"x", "a raw string does not end"}));

// No text makes it read past its end; the address sanitizer would report that.
TEST(Lexer, EveryPrefixOfATextEnds) {
  const std::string text =
      "a/*b*/+R\"x(q)x\" 'c' \"d\\\"\" <: %:%: 1e+ 0x1p- .5 u8'x' // e \\\n f <<= \\ \n#";
  for (size_t length = 0; length <= text.size(); ++length) {
    try {
      (void)lex(text.substr(0, length), "/p");
    } catch (const plugin::Failure&) {
    }
  }
}

}  // namespace
}  // namespace warpmark::codegen
