// Files that runs leave for later: arrays in NumPy's format, and the memory of failures.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/last_failed.hpp"
#include "results/npy.hpp"

namespace warpmark {
namespace {

TEST(Npy, HeaderIsVersionOneAndAligned) {
  const std::string header = npy_header(*find_dtype("float32"), {3, 4});
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(header[8]) + 256U * static_cast<unsigned char>(header[9]),
            header.size() - 10);
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ");
  EXPECT_EQ(header.back(), '\n');
}

TEST(Npy, EveryDtypeAndShapeHasItsText) {
  const auto has = [](const char* dtype, const Shape& shape, const std::string& text) {
    const std::string header = npy_header(*find_dtype(dtype), shape);
    EXPECT_NE(header.find(text), std::string::npos) << header;
    EXPECT_EQ(header.size() % 64, 0U);
  };
  has("bool", {}, "'|b1', 'fortran_order': False, 'shape': (), }");
  has("int8", {1}, "'|i1', 'fortran_order': False, 'shape': (1,), }");
  has("uint64", {0}, "'<u8'");
  has("int16", {2, 3, 4, 5, 6, 7, 8, 9, 10}, "(2, 3, 4, 5, 6, 7, 8, 9, 10)");
  has("float16", {1000000007}, "'<f2', 'fortran_order': False, 'shape': (1000000007,), }");
}

TEST(Npy, WritesHeaderAndElements) {
  const TemporaryFolder folder;
  const float values[] = {1, -2.5F};
  write_npy(folder.path() / "a.npy", *find_dtype("float32"), {2}, std::as_bytes(std::span(values)));
  const std::string bytes = read_file(folder.path() / "a.npy");
  ASSERT_EQ(bytes.size(), 128U + sizeof values);
  EXPECT_EQ(std::memcmp(bytes.data() + 128, values, sizeof values), 0);
  EXPECT_THROW(
      write_npy("/dev/full", *find_dtype("float32"), {2}, std::as_bytes(std::span(values))), Error);
  EXPECT_THROW(write_npy(folder.path() / "no/a.npy", *find_dtype("bool"), {0}, {}), Error);
}

TEST(LastFailed, RemembersBySuiteFile) {
  const TemporaryFolder folder;
  const LastFailed memory(folder.path() / "last-failed");
  EXPECT_TRUE(memory.of("a.yaml").empty());
  memory.remember("a.yaml", "a.n=1");
  memory.remember("a.yaml", "a.n=1");
  memory.remember("a.yaml", "a.n=~2");
  memory.remember("sub/a.yaml", "sub/a.n=1");
  EXPECT_EQ(memory.of("./x/../a.yaml"), (std::set<std::string>{"a.n=1", "a.n=~2"}));
  memory.forget("a.yaml", "a.n=1");
  memory.forget("a.yaml", "a.n=7");
  EXPECT_EQ(memory.of("a.yaml"), (std::set<std::string>{"a.n=~2"}));
  EXPECT_EQ(memory.of("sub/a.yaml"), (std::set<std::string>{"sub/a.n=1"}));
}

TEST(LastFailed, NowhereIsNothing) {
  const LastFailed none{""};
  EXPECT_FALSE(none.enabled());
  none.remember("a.yaml", "a.n=1");
  none.forget("a.yaml", "a.n=1");
  EXPECT_TRUE(none.of("a.yaml").empty());
}

TEST(LastFailed, WhatCannotBeWrittenThrows) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const LastFailed memory(folder.path() / "file");
  EXPECT_TRUE(memory.of("a.yaml").empty());
  EXPECT_THROW(memory.remember("a.yaml", "a.n=1"), Error);
}

}  // namespace
}  // namespace warpmark
