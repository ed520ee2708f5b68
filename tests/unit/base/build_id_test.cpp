#include "base/build_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/file.hpp"

namespace warpmark {
namespace {

using testing::MatchesRegex;

constexpr const char* kOwn = "/proc/self/exe";

TEST(BuildId, IsThatOfTheLinker) {
  EXPECT_THAT(build_id(kOwn), MatchesRegex("[0-9a-f]{40}"));
}

TEST(BuildId, TellsAProgramFromAnother) {
  EXPECT_NE(build_id("/bin/sh"), build_id(kOwn));
}

TEST(BuildId, IsKeptByACopyAndLostByAPart) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(kOwn);
  const std::string copy = folder.path() / "copy";
  write_file_atomically(copy, bytes + "more");
  EXPECT_EQ(build_id(copy), build_id(kOwn));
  for (const size_t kept : {0, 3, 63, 64, 100, 300, 700}) {
    write_file_atomically(copy, bytes.substr(0, kept));
    EXPECT_EQ(build_id(copy), "") << kept;
  }
}

TEST(BuildId, IsNoneOfOtherFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(build_id(folder.path()), "");
  EXPECT_EQ(build_id(folder.path() / "missing"), "");
  write_file_atomically(folder.path() / "text", std::string(5000, 'x'));
  EXPECT_EQ(build_id(folder.path() / "text"), "");
}

// A file that somebody made may have sizes that are not true.
TEST(BuildId, ReadsNotesOfAnySizes) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(kOwn);
  const std::string start = bytes.substr(0, 4096);
  const std::string file = folder.path() / "changed";
  for (size_t at = 16; at < 1024; ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = start;
      changed[at] = value;
      std::ofstream(file, std::ios::binary) << changed;
      EXPECT_LE(build_id(file).size(), size_t{2} << 16) << at;
    }
  }
}

}  // namespace
}  // namespace warpmark
