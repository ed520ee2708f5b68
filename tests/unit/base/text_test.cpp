#include "base/text.hpp"

#include <gtest/gtest.h>

#include "base/byte_pair.hpp"
#include "base/escape.hpp"

namespace warpmark {
namespace {

TEST(Text, NearestFindsMisspellingsOnly) {
  const std::vector<std::string> keys = {"block", "grid", "shared", "tolerance"};
  EXPECT_EQ(nearest("blocks", keys), "block");
  EXPECT_EQ(nearest("tolerence", keys), "tolerance");
  EXPECT_EQ(nearest("zebra", keys), "");
  EXPECT_EQ(nearest("gird", {"kind", "grid", "girth"}), "grid");  // swapped neighbours count once
  EXPECT_EQ(nearest("lsit", {"lint", "list"}), "list");
}

TEST(Text, SplitJoinTrim) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \t x y\n"), "x y");
  EXPECT_EQ(trim("  "), "");
}

TEST(Text, Bytes) {
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(1600), "1,600 bytes");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(3ull << 30), "3 GiB");
}

TEST(FormatBytePair, CountsThatDifferReadDifferently) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(format_byte_pair(4 << 20, 1 << 20), Pair("4 MiB", "1 MiB"));
  EXPECT_EQ(format_byte_pair((4 << 20) + 4, 4 << 20), Pair("4,194,308 bytes", "4,194,304 bytes"));
  EXPECT_EQ(format_byte_pair(4 << 20, (4 << 20) - 1), Pair("4,194,304 bytes", "4,194,303 bytes"));
  EXPECT_EQ(format_byte_pair(4 << 20, 4 << 20), Pair("4 MiB", "4 MiB"));
  EXPECT_EQ(format_byte_pair((uint64_t{1} << 50) + 1, uint64_t{1} << 50),
            Pair("1,125,899,906,842,625 bytes", "1,125,899,906,842,624 bytes"));
}

TEST(Text, PrintableReplacesControlsAndBrokenUtf8) {
  EXPECT_EQ(printable("a\x1b[31mb\n\t"), "a\xEF\xBF\xBD[31mb\n\t");
  EXPECT_EQ(printable("\xC3\xA4"), "\xC3\xA4");
  EXPECT_EQ(printable("\xC3"), "\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
}

TEST(Text, PrintableTurnsNoDirectionAndEndsNoLine) {
  for (const char* turn : {"\u2028", "\u2029", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E",
                           "\u2066", "\u2067", "\u2068", "\u2069"}) {
    EXPECT_EQ(printable(std::string("a") + turn + "b"), "a\uFFFDb");
  }
  // Their neighbours, and marks that names in Arabic and Hebrew have.
  const std::string kept = "\u2027\u202F\u2065\u206A\u200E\u200F\u061C\u00AA";
  EXPECT_EQ(printable(kept), kept);
}

TEST(Escape, ReplacesEachCharacterOnce) {
  EXPECT_EQ(escape("a<b & c<d", {{'<', "&lt;"}, {'&', "&amp;"}}), "a&lt;b &amp; c&lt;d");
  EXPECT_EQ(escape("plain", {{'<', "&lt;"}}), "plain");
  EXPECT_EQ(escape("", {{'<', "&lt;"}}), "");
  EXPECT_EQ(escape("drop", {{'o', ""}}), "drp");
}

}  // namespace
}  // namespace warpmark
