// The words of a source, and the lines that they are on.
#include "compiler/source_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace warpmark {
namespace {

std::string joined_texts(std::string_view source) {
  std::string out;
  for (const SourceToken& token : source_tokens(source)) {
    if (!out.empty()) out += ' ';
    out += token.text;
  }
  return out;
}

TEST(SourceTokens, WordsNumbersAndMarks) {
  EXPECT_EQ(joined_texts("k<<<1,2>>>(a);\n x::y = 1.5e3f"),
            "k <<< 1 , 2 >>> ( a ) ; x :: y = 1.5e3f");
}

TEST(SourceTokens, CommentsAreNone) {
  EXPECT_EQ(joined_texts("a // b\nc /* d \n e */ f /* open"), "a c f");
  EXPECT_EQ(joined_texts("a // b \\\n still a comment\nc"), "a c");
  EXPECT_EQ(joined_texts("a /\\\n/ b\nc"), "a c");
}

TEST(SourceTokens, StringsAreOneToken) {
  EXPECT_EQ(joined_texts("f(\"main( // \\\" \", '\\'')"), "f ( \"main( // \\\" \" , '\\'' )");
  EXPECT_EQ(joined_texts("R\"x(a \" )\" // )x\" b"), "R\"x(a \" )\" // )x\" b");
  EXPECT_EQ(joined_texts("\"open\nnext"), "\"open next");
  EXPECT_EQ(joined_texts("R\"(open main("), "R\"(open main(");
}

TEST(SourceTokens, LinesCountThroughSplices) {
  const auto tokens = source_tokens("ma\\\nin\n/*\n*/ b\\  \n\n c");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0], (SourceToken{TokenKind::word, "main", 1, false}));
  EXPECT_EQ(tokens[1], (SourceToken{TokenKind::word, "b", 4, false}));
  EXPECT_EQ(tokens[2], (SourceToken{TokenKind::word, "c", 6, false}));
}

TEST(SourceTokens, DirectivesAndHeaders) {
  const auto tokens = source_tokens("  # include <a b>\n%:include \"c\"\nx # include <d>\n");
  ASSERT_EQ(tokens.size(), 12U);
  EXPECT_EQ(tokens[2], (SourceToken{TokenKind::header, "a b", 1, true}));
  EXPECT_EQ(tokens[5], (SourceToken{TokenKind::header, "c", 2, true}));
  EXPECT_EQ(tokens[6], (SourceToken{TokenKind::word, "x", 3, false}));
  EXPECT_EQ(tokens[9].kind, TokenKind::mark);  // in the middle of a line there is no directive
}

TEST(SourceTokens, AnyBytesEnd) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const std::string alphabet("\\\n\r \t\"'/*#%:<>R(){}ab0\0\xff", 24);
  for (int round = 0; round < 3000; ++round) {
    std::string source;
    for (size_t i = random() % 60; i > 0; --i) source += alphabet[random() % alphabet.size()];
    int line = 1;
    for (const SourceToken& token : source_tokens(source)) {
      EXPECT_GE(token.line, line);
      line = token.line;
    }
  }
  for (const char* piece : {"\\ ", "\"", "R\"(", "/*", "#include <", "<<<", "\\\n"}) {
    std::string long_one;
    while (long_one.size() < 2000000) long_one += piece;
    source_tokens(long_one);
  }
}

TEST(IsDeclaredWith, SeesTheWholeDeclaration) {
  const char* source = "__managed__ int a, b[2]; int c;\n#define __managed__ x\nint d;\n";
  EXPECT_TRUE(is_declared_with(source, "__managed__", "a"));
  EXPECT_TRUE(is_declared_with(source, "__managed__", "b"));
  EXPECT_FALSE(is_declared_with(source, "__managed__", "c"));
  EXPECT_FALSE(is_declared_with(source, "__managed__", "d"));
}

}  // namespace
}  // namespace warpmark
