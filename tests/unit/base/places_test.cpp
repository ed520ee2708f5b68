// Tests where built and installed copies of the program look for what came with them.
#include "base/places.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/file.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

TEST(Places, ABuiltCopyUsesTheBuildsFolders) {
  const TemporaryFolder build("warpmark-places");
  write_file_atomically(build.path() / "CMakeCache.txt", "");
  const Places places = places_of(build.path() / "bin");
  EXPECT_FALSE(places.installed);
  EXPECT_EQ(places.library, build.path() / "lib/warpmark");
  EXPECT_EQ(places.cuda, build.path() / "deps/cuda");
  EXPECT_EQ(places.data, build.path() / "share/warpmark");
  EXPECT_EQ(places.schemas, build.path() / "share/warpmark/schema");
}

TEST(Places, AnInstalledCopyStaysWithinItsPrefix) {
  const TemporaryFolder prefix("warpmark places");
  const Places places = places_of(prefix.path() / "bin");
  EXPECT_TRUE(places.installed);
  EXPECT_EQ(places.library.filename(), "warpmark");
  EXPECT_THAT(places.library.string(), testing::StartsWith(prefix.path().string() + "/"));
  EXPECT_EQ(places.cuda, places.library / "cuda");
  EXPECT_EQ(places.schemas, places.data / "schema");
  EXPECT_THAT(places.schemas.string(), testing::StartsWith(prefix.path().string() + "/"));
}

TEST(Places, NamedFoldersComeFirst) {
  const char* before = std::getenv("WARPMARK_PLUGIN_PATH");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("WARPMARK_PLUGIN_PATH", "/a::/b c:", 1);
  EXPECT_THAT(library_search_path(), testing::ElementsAre("/a", "/b c", own_places().library));
  ::unsetenv("WARPMARK_PLUGIN_PATH");
  EXPECT_THAT(library_search_path(), testing::ElementsAre(own_places().library));
  if (before != nullptr) ::setenv("WARPMARK_PLUGIN_PATH", kept.c_str(), 1);
}

TEST(Places, ALibraryIsLoadedFromWhereTheVariableSaysNow) {
  const TemporaryFolder folder("warpmark-places");
  write_file_atomically(folder.path() / "libone.so", "");
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("LD_LIBRARY_PATH", ("/a::" + folder.path().string()).c_str(), 1);
  EXPECT_EQ(loadable("libone.so"), folder.path() / "libone.so");
  EXPECT_EQ(loadable("libtwo.so"), "libtwo.so");
  EXPECT_EQ(loadable("./libone.so"), "./libone.so");
  ::setenv("LD_LIBRARY_PATH", "", 1);
  EXPECT_EQ(loadable("libone.so"), "libone.so");
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(loadable("libone.so"), "libone.so");
  if (before != nullptr) ::setenv("LD_LIBRARY_PATH", kept.c_str(), 1);
}

}  // namespace
}  // namespace warpmark
