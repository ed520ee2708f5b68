#include "base/hex.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace warpmark {
namespace {

TEST(Hex, EveryByteComesBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
  EXPECT_EQ(to_hex(std::string("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(from_hex(""), "");
}

TEST(Hex, WhatItDoesNotMakeIsRefused) {
  for (const char* text : {"0", "abc", "0g", "FF", " 1", "0x"}) {
    EXPECT_THROW(from_hex(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace warpmark
