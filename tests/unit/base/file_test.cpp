#include "base/file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

TEST(File, WritesAtomicallyAndReadsBack) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a" / "b.txt";
  write_file_atomically(path, "one");
  write_file_atomically(path, std::string_view("two\0three", 9));
  EXPECT_EQ(read_file(path), std::string_view("two\0three", 9));
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1) << "no leftovers";
}

TEST(File, AMissingFileIsNamed) {
  try {
    read_file("/nonexistent/x.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "error: cannot read /nonexistent/x.yaml: No such file or directory");
  }
}

TEST(File, AWriteThatFailsIsAnEnvironmentError) {
  try {
    write_file_atomically("/proc/nowhere/x", "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
}

TEST(File, PathsAreShownWithoutDetours) {
  EXPECT_EQ(display_path("suites/../src/x.cu"), "src/x.cu");
  EXPECT_EQ(display_path(fs::current_path() / "a/./b/../x.cu"), "a/x.cu");
  EXPECT_EQ(display_path("/nowhere/suites/../src/x.cu"), "/nowhere/src/x.cu");
  EXPECT_EQ(display_path("../suites/../src/x.cu"), "../src/x.cu");
}

TEST(File, ATemporaryFolderGoesAway) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    write_file_atomically(path / "x" / "y", "z");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace warpmark
