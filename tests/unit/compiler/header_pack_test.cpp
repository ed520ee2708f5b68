// Headers in a sealed file: what one process packs another reads, and nothing else is taken for one.
#include "compiler/header_pack.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/error.hpp"

namespace warpmark {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

UniqueFd file_of(const std::string& bytes, int seals) {
  UniqueFd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, seals), 0);
  return file;
}

TEST(HeaderPack, HasEachHeaderAsItWas) {
  const std::vector<Header> headers = {
      {"cuda_fp16.h", std::string("int a;\n\0int b;", 14), "include/cuda_fp16.h"},
      {"empty.h", "", ""},
      {"Ω.h", std::string(3'000'000, 'x'), "Ω.h"}};
  const UniqueFd file = pack_headers(headers);
  ASSERT_TRUE(file);
  for (int again = 0; again < 2; ++again) {
    const std::vector<Header> read = unpack_headers(file.get());
    ASSERT_EQ(read.size(), headers.size());
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].spelling, headers[i].spelling);
      EXPECT_EQ(read[i].text, headers[i].text);
      EXPECT_EQ(read[i].path, headers[i].path);
    }
  }
  EXPECT_TRUE(unpack_headers(pack_headers({}).get()).empty());
}

TEST(HeaderPack, NobodyMayChangeIt) {
  const UniqueFd file = pack_headers({{"a.h", "int a;", "a.h"}});
  EXPECT_EQ(::pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(file.get(), 0), -1);
  EXPECT_THROW(unpack_headers(file_of("", 0).get()), Error);
}

TEST(HeaderPack, WhatIsCutOffIsRefused) {
  std::string bytes(8, '\0');
  bytes[0] = 5;
  for (const std::string& text :
       {std::string("abc"), bytes, bytes + "abcd", bytes + "abcde", std::string(8, '\xff')}) {
    EXPECT_THROW(unpack_headers(file_of(text, kSeals).get()), Error) << text.size();
  }
}

}  // namespace
}  // namespace warpmark
