// The headers of a toolkit in one file: what makes it stale, damage, and that it changes nothing.
#include "compiler/header_pack.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/memory_headers.hpp"
#include "compiler/nvrtc.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts(const std::vector<Header>& headers) {
  std::vector<std::string> all;
  for (const Header& one : headers) {
    for (const std::string* part : {&one.spelling, &one.path, &one.text}) all.push_back(*part);
  }
  return all;
}

class Pack : public testing::Test {
 protected:
  void SetUp() override {
    write_file_atomically(file_, "int a;");
    pack_.write(headers_, {file_});
  }
  fs::path kept() const { return fs::directory_iterator(folder_.path() / "kernels")->path(); }

  TemporaryFolder folder_;
  CompileCache cache_{folder_.path()};
  HeaderPack pack_{cache_, "a.h b.h"};
  fs::path file_ = folder_.path() / "include/a.h";
  std::vector<Header> headers_ = {{"a.h", "int a;", "a.h"}, {"b.h", std::string("\0\n", 2), ""}};
};

TEST_F(Pack, GivesBackWhatWasWritten) {
  const auto known = pack_.read();
  ASSERT_TRUE(known);
  EXPECT_EQ(parts(*known), parts(headers_));
  EXPECT_FALSE(HeaderPack(cache_, "a.h").read());
  EXPECT_EQ(cache_.entries().words(),
            "0 kernels and 1 pack of headers in " + format_bytes(fs::file_size(kept())));
  EXPECT_EQ(cache_.clear().header_packs, 1U);
  EXPECT_FALSE(pack_.read());
}

TEST_F(Pack, AChangedFileMakesItStale) {
  write_file_atomically(file_, "int b;");
  EXPECT_FALSE(pack_.read());
}

TEST_F(Pack, ANewFileBesideOneMakesItStale) {
  write_file_atomically(file_.parent_path() / "b.h", "");
  EXPECT_FALSE(pack_.read());
}

TEST_F(Pack, AFileThatIsGoneMakesItStale) {
  fs::remove(file_);
  EXPECT_FALSE(pack_.read());
}

TEST_F(Pack, EveryTruncationAndEveryAlteredByteOfATextIsAMiss) {
  const std::string whole = read_file(kept());
  for (size_t length = 0; length < whole.size(); ++length) {
    write_file_atomically(kept(), whole.substr(0, length));
    ASSERT_FALSE(pack_.read()) << "cut to " << length;
  }
  for (size_t at = whole.find('\n') + 1; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x20);
    write_file_atomically(kept(), altered);
    ASSERT_FALSE(pack_.read()) << "altered at " << at;
  }
  write_file_atomically(kept(), whole);
  EXPECT_TRUE(pack_.read());
}

TEST_F(Pack, WithoutACacheThereIsNone) {
  const CompileCache none("");
  HeaderPack(none, "a.h b.h").write(headers_, {file_});
  EXPECT_FALSE(HeaderPack(none, "a.h b.h").read());
}

TEST(HeaderPack, OfTheToolkitHasTheSameHeaders) {
  const auto nvrtc = Nvrtc::open();
  if (nvrtc->include_folders().empty()) GTEST_SKIP() << "this NVRTC has no headers beside it";
  const TemporaryFolder folder;
  const CompileCache cache(folder.path());
  const std::vector<std::string> names = {"cuda_fp16.h", "cooperative_groups.h"};
  const std::vector<Header> own = {{"own.h", "int own;", "own.h"}};
  const auto read = parts(read_headers(*nvrtc, names, own, CompileCache("")));
  EXPECT_EQ(parts(read_headers(*nvrtc, names, own, cache)), read);
  EXPECT_EQ(cache.entries().header_packs, 1U);
  EXPECT_EQ(parts(read_headers(*nvrtc, names, own, cache)), read);
  EXPECT_EQ(cache.entries().header_packs, 1U);
}

}  // namespace
}  // namespace warpmark
