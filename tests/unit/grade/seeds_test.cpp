// HMAC by its RFC's vectors, seeds that differ in every field, and secrets that are none.
#include "grade/assignment/seeds.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;

std::string hex(const std::array<uint8_t, 32>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// RFC 4231, section 4: test cases 1 to 4, 6 and 7.
TEST(Hmac, IsThatOfRfc4231) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string counting;
  for (char byte = 1; byte <= 25; ++byte) counting += byte;
  EXPECT_EQ(hex(hmac_sha256(counting, std::string(50, '\xcd'))),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
  const std::string long_key(131, '\xaa');
  EXPECT_EQ(hex(hmac_sha256(long_key, "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hex(hmac_sha256(long_key,
                            "This is a test using a larger than block-size key and a larger than "
                            "block-size data. The key needs to be hashed before being used by the "
                            "HMAC algorithm.")),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(Seeds, DifferInEveryField) {
  const Secret secret("0123456789abcdef");
  std::set<uint64_t> seeds;
  seeds.insert(secret.seed({"hw1", "ada", "s.n=1", 0}));
  seeds.insert(secret.seed({"hw2", "ada", "s.n=1", 0}));
  seeds.insert(secret.seed({"hw1", "bob", "s.n=1", 0}));
  seeds.insert(secret.seed({"hw1", "ada", "s.n=2", 0}));
  seeds.insert(secret.seed({"hw1", "ada", "s.n=1", 1}));
  seeds.insert(secret.seed({"hw1a", "da", "s.n=1", 0}));  // no field runs into the next
  seeds.insert(Secret("0123456789abcdeF").seed({"hw1", "ada", "s.n=1", 0}));
  seeds.insert(public_seed("hw1", "s.n=1", 0));
  seeds.insert(public_seed("hw1", "s.n=1", 1));
  // Those of the trial that belongs to one file.
  seeds.insert(secret.seed({"hw1", "ada", "s.n=1", 0, "1f"}));
  seeds.insert(secret.seed({"hw1", "ada", "s.n=1", 0, "1e"}));
  seeds.insert(public_seed("hw1", "s.n=1", 0, "1f"));
  seeds.insert(public_seed("hw1", "s.n=1", 0, "1e"));
  EXPECT_EQ(seeds.size(), 13U);
}

// A change of these numbers would change the inputs of a regrade.
TEST(Seeds, StayWhatTheyAre) {
  EXPECT_EQ(Secret("0123456789abcdef").seed({"hw1", "ada", "s.n=1", 2}),
            Secret("0123456789abcdef\r\n").seed({"hw1", "ada", "s.n=1", 2}));
  EXPECT_EQ(Secret("0123456789abcdef").seed({"hw1", "ada", "s.n=1", 2}), 199160889767165242U);
  EXPECT_EQ(public_seed("hw1", "s.n=1", 2), 202262004159222578U);
}

TEST(Secret, HasAFingerprintThatIsNoneOfIt) {
  const Secret secret("0123456789abcdef");
  EXPECT_EQ(secret.fingerprint().size(), 64U);
  EXPECT_NE(secret.fingerprint(), Secret("0123456789abcdeF").fingerprint());
  EXPECT_EQ(secret.fingerprint(), Secret("0123456789abcdef\n").fingerprint());
}

std::string refusal(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "not refused";
}

class SecretFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    const auto file = folder_.path() / "secret";
    write_file_atomically(file, text);
    ::chmod(file.c_str(), 0600);
    return file;
  }
  const TemporaryFolder folder_{"warpmark-secret"};
};

TEST_F(SecretFile, IsReadWithoutItsLastLineBreak) {
  const ReadSecret read = read_secret(write("0123456789abcdef\n"));
  EXPECT_EQ(read.secret.bytes(), "0123456789abcdef");
  EXPECT_EQ(read.warning, "");
}

TEST_F(SecretFile, ThatOthersMayReadIsWarnedOf) {
  const auto file = write("0123456789abcdef");
  ::chmod(file.c_str(), 0644);
  EXPECT_THAT(read_secret(file).warning, HasSubstr("chmod 600"));
}

TEST_F(SecretFile, ThatHoldsNoneIsRefused) {
  EXPECT_THAT(refusal([&] { read_secret(write("")); }), HasSubstr("the secret is empty"));
  EXPECT_THAT(refusal([&] { read_secret(write("\n\n")); }), HasSubstr("the secret is empty"));
  EXPECT_THAT(refusal([&] { read_secret(write("0123456789abcde\n")); }),
              HasSubstr("has 15 bytes, and needs 16 at least"));
  EXPECT_THAT(refusal([&] { read_secret(folder_.path() / "none"); }),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal([&] { read_secret(folder_.path()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal([] { read_secret(std::filesystem::path("/dev/zero")); }),
              HasSubstr("longer than 4096 bytes"));
}

TEST(SecretDescriptor, IsReadToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd reader(ends[0]);
  {
    const UniqueFd writer(ends[1]);
    ASSERT_EQ(::write(writer.get(), "0123456789abcdef\n", 17), 17);
  }
  EXPECT_EQ(read_secret(reader.get()).secret.bytes(), "0123456789abcdef");
  EXPECT_THAT(refusal([] { read_secret(987); }), HasSubstr("descriptor 987"));
}

}  // namespace
}  // namespace warpmark
