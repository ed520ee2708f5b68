// Changes of folders and suites that `watch` sees.
#include "cli/watch/watched_suites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "cli/watch/folder_watch.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

constexpr const char* kSuite =
    "warpmark: 1\nkernel: {file: k.cu, entry: k}\narguments: {p: {out: 1}}\n"
    "launch: {block: 1}\nreference: {p: 1}\n";

class WatchedSuitesTest : public testing::Test {
 protected:
  WatchedSuitesTest() {
    write("s/k.cu", "#include \"h.cuh\"\n");
    write("s/h.cuh", "");
    write("s/one.yaml", kSuite);
  }

  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_ / name, text);
  }

  // Returns what has changed since the last call.
  SuiteChanges changes(const std::set<fs::path>& written = {}) {
    const WatchedSuites before = known_;
    known_ = look_at_suites({folder_ / "s"}, before);
    return changes_between(before, known_, written);
  }

  std::vector<std::string> touched() {
    std::vector<std::string> names;
    for (const fs::path& file : changes().suites) names.push_back(file.filename());
    return names;
  }

  TemporaryFolder temporary_{"warpmark-watched"};
  const fs::path folder_ = fs::canonical(temporary_.path());
  WatchedSuites known_;
};

TEST_F(WatchedSuitesTest, AllThatASuiteIsMadeOfTouchesIt) {
  EXPECT_THAT(touched(), ElementsAre("one.yaml"));
  EXPECT_THAT(touched(), IsEmpty());
  for (const char* name : {"s/h.cuh", "s/k.cu", "s/one.yaml"}) {
    write(name, read_file(folder_ / name));  // another file of the same text
    EXPECT_THAT(touched(), ElementsAre("one.yaml")) << name;
  }
  write("s/other.cuh", "");
  EXPECT_THAT(touched(), IsEmpty());
  write("s/two.yaml", kSuite);
  EXPECT_THAT(touched(), ElementsAre("two.yaml"));
}

TEST_F(WatchedSuitesTest, AWrittenFileIsChangedWhateverItLooksLike) {
  changes();
  EXPECT_EQ(changes({folder_ / "s/h.cuh"}).suites.size(), 1U);
  EXPECT_EQ(changes({folder_ / "s/nothing.cuh"}).suites.size(), 0U);
}

TEST_F(WatchedSuitesTest, WhatGoesIsListedAndComesBack) {
  changes();
  fs::rename(folder_ / "s/k.cu", folder_ / "k.cu");
  const SuiteChanges gone = changes();
  EXPECT_THAT(gone.texts, ElementsAre(EndsWith("s/k.cu is gone")));
  EXPECT_EQ(gone.suites.size(), 1U);
  fs::rename(folder_ / "k.cu", folder_ / "s/k.cu");
  EXPECT_THAT(touched(), ElementsAre("one.yaml"));
  fs::remove(folder_ / "s/one.yaml");
  EXPECT_THAT(touched(), ElementsAre("s"));  // a folder without a suite, which check reports
}

TEST_F(WatchedSuitesTest, ASuiteThatCannotBeLoadedWaitsForWhatItLacks) {
  fs::remove(folder_ / "s/k.cu");
  changes();
  EXPECT_THAT(touched(), IsEmpty());
  write("s/k.cu", "");
  EXPECT_THAT(touched(), ElementsAre("one.yaml"));
}

TEST_F(WatchedSuitesTest, AFolderThatGoesIsWaitedForAboveIt) {
  changes();
  fs::rename(folder_ / "s", folder_ / "t");
  EXPECT_THAT(changes().suites, IsEmpty());
  EXPECT_TRUE(known_.folders.count(folder_));
  EXPECT_TRUE(known_.concerns(folder_ / "s", false));
  fs::rename(folder_ / "t", folder_ / "s");
  EXPECT_THAT(touched(), ElementsAre("one.yaml"));
}

TEST_F(WatchedSuitesTest, WhatConcernsIt) {
  changes();
  EXPECT_TRUE(known_.concerns(folder_ / "s/h.cuh", true));
  EXPECT_FALSE(known_.concerns(folder_ / "s/object.o", true));
  EXPECT_TRUE(known_.concerns(folder_ / "s/new.cuh", false));
  EXPECT_FALSE(known_.concerns(folder_ / "elsewhere", false));
}

TEST(FolderWatch, ReportsWhatHappens) {
  const TemporaryFolder temporary("warpmark-watch");
  const fs::path folder = fs::canonical(temporary.path());
  FolderWatch watch;
  EXPECT_TRUE(watch.watch({folder, folder / "not there"}));
  EXPECT_FALSE(watch.watch({folder}));
  write_file_atomically(folder / "a", "");
  const FolderWatch::Happened happened = watch.take();
  EXPECT_TRUE(happened.moved.count(folder / "a"));
  EXPECT_FALSE(happened.anything);
  EXPECT_TRUE(watch.take().moved.empty());
  fs::create_directory(folder / "b");
  EXPECT_TRUE(watch.watch({folder / "b"}));
  watch.take();
  fs::remove(folder / "b");
  EXPECT_TRUE(watch.take().anything);
  EXPECT_FALSE(watch.watch({folder / "b"}));
}

}  // namespace
}  // namespace warpmark
