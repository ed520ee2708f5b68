#include "base/log_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/error.hpp"

namespace warpmark {
namespace {

TEST(Shortened, ShortTextsStay) {
  const std::string quote = "`" + std::string(400, 'x') + "`";
  const std::string line(4000, 'y');
  for (const std::string& text : {std::string(), std::string("`"), quote, quote + "\n" + quote,
                                  line + "\n" + line + "\n", std::string(1500, '`')}) {
    EXPECT_EQ(shortened(text), text);
  }
}

TEST(Shortened, KeepsBothEndsOfAQuoteAndCounts) {
  const std::string a(200, 'a'), z(100, 'z');
  EXPECT_EQ(shortened("the label `" + a + std::string(999700, '-') + z + "` is bad, `n` is not"),
            "the label `" + a + "… (999,700 characters left out) …" + z + "` is bad, `n` is not");
  // Each quote on its own.
  const std::string word(500, 'w');
  const std::string twice = shortened("`" + word + "` and `" + word + "`");
  EXPECT_TRUE(twice.starts_with("`" + word.substr(0, 200) + "… (200 characters left out) …"));
  EXPECT_NE(twice.rfind("(200 characters left out)"), twice.find("(200 characters left out)"));
}

TEST(Shortened, WithoutQuotesTheLineIsCut) {
  const std::string text = "first\nx: " + std::string(9000, '-') + " end\nlast `open";
  const std::string shorter = shortened(text);
  EXPECT_TRUE(shorter.starts_with("first\nx: ---")) << shorter;
  EXPECT_TRUE(shorter.ends_with("--- end\nlast `open")) << shorter;
  EXPECT_NE(shorter.find("… (6,007 characters left out) …"), std::string::npos) << shorter;
}

TEST(Shortened, CountsAndCutsCharactersNotBytes) {
  std::string text;
  for (int i = 0; i < 401; ++i) text += "ä";
  const std::string shorter = shortened("`" + text + "`");
  EXPECT_EQ(shorter, "`" + text.substr(0, 400) + "… (101 characters left out) …" +
                         text.substr(0, 200) + "`");
}

TEST(Shortened, TwiceIsAsOnce) {
  const std::string text = "`" + std::string(1000, 'q') + "` " + std::string(100000, 'l') + "\n`" +
                           std::string(70000, 'm') + "`";
  EXPECT_EQ(shortened(shortened(text)), shortened(text));
}

TEST(Shortened, EveryErrorIs) {
  const std::string key(1000000, 'k');
  const Error error = usage_error("unknown key `" + key + "`", {"a.yaml", 1, 1}, key);
  EXPECT_LT(std::string(error.what()).size(), 5000U);
  EXPECT_LT(error.at({"b.yaml", 1, 1}).message().size(), 1000U);
  EXPECT_LT(error.hint().size(), 4100U);
}

TEST(WithoutCommands, OnlyCommandsChange) {
  for (const char* text :
       {"", "a::b\n std::move(x)\n\"::\"", "## [x]", "#[x", "a\n:b", "# #[", ":"}) {
    EXPECT_EQ(without_commands(text), text);
  }
}

TEST(WithoutCommands, AreNone) {
  EXPECT_EQ(without_commands("::error::x"), ": :error::x");
  EXPECT_EQ(without_commands("a\n \t::x::y"), "a\n \t: :x::y");
  EXPECT_EQ(without_commands("a\r::x::"), "a\r: :x::");
  EXPECT_EQ(without_commands("\u00a0\u2003::x::"), "\u00a0\u2003: :x::") << "the runner trims them";
  EXPECT_EQ(without_commands("a ##[error]b"), "a # #[error]b");
  EXPECT_EQ(without_commands("###[x]##[y]"), "## #[x]# #[y]");
  EXPECT_EQ(without_commands(":::x::"), ": ::x::");
}

TEST(WithoutCommands, NoneOfRandomTexts) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += ":#[ \n\tx\xA0"[random() % 8];
    const std::string safe = without_commands(text);
    ASSERT_EQ(safe.find("##["), std::string::npos) << text;
    for (size_t at = 0; (at = safe.find("::", at)) != std::string::npos; ++at) {
      const size_t line = safe.rfind('\n', at) + 1;
      ASSERT_NE(safe.substr(line, at - line).find_first_of(":#[x"), std::string::npos) << text;
    }
    // Spaces were added, and nothing else.
    std::erase(text, ' ');
    std::string bare = safe;
    std::erase(bare, ' ');
    ASSERT_EQ(bare, text);
  }
}

TEST(WithoutCommands, JsonKeepsItsValues) {
  using Json = nlohmann::ordered_json;
  const Json value = {{"##[a]", {"###[b]", "\\##[c", "##", "[", "\"##[\""}}, {"#", Json::array()}};
  const std::string text = json_without_commands(value.dump());
  EXPECT_EQ(text.find("##["), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), value);
}

}  // namespace
}  // namespace warpmark
