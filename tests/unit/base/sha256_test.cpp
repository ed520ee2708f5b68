#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

// Vectors of NIST's "SHA-256 examples" and of the CAVP byte-oriented short messages.
TEST(Sha256Test, NistVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex("\xd3"), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesOfAnyLengthGiveTheSame) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
  for (size_t length = 0; length <= text.size(); ++length) {
    const std::string whole = sha256_hex(text.substr(0, length));
    Sha256 pieces;
    for (size_t at = 0; at < length; at += 7)
      pieces.add(text.substr(at, std::min<size_t>(7, length - at)));
    ASSERT_EQ(pieces.finish_hex(), whole) << length;
  }
}

TEST(Sha256Test, FieldsKeepTheirBorders) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").finish_hex(),
            Sha256().add_field("a").add_field("bc").finish_hex());
}

}  // namespace
}  // namespace warpmark
