#include "python/generator.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using testing::value_of;

const GeneratorKey kKey{42, "doublify", "n=16", "a", 0};

std::vector<double> first_three(const GeneratorKey& key, const std::string& also = "") {
  PythonScope scope;
  scope.set_generator(key);
  if (!also.empty()) scope.set_value(also, int64_t{1});
  const Value value = value_of("rng.random(3)", scope);
  return testing::elements<double>(to_array(value, testing::dtype("float64")).bytes());
}

TEST(Generator, HashesTheDocumentedBytes) {
  using namespace std::string_literals;
  EXPECT_EQ((GeneratorKey{0x0102, "ab", "c", "", 3}.message()),
            "warpmark rng 1\n"s + "\x02\x01\0\0\0\0\0\0"s + "\2\0\0\0\0\0\0\0ab"s +
                "\1\0\0\0\0\0\0\0c"s + "\0\0\0\0\0\0\0\0"s + "\3\0\0\0\0\0\0\0"s);
}

TEST(Generator, DependsOnEveryPartOfItsKeyAndNothingElse) {
  const std::vector<double> original = first_three(kKey);
  EXPECT_EQ(first_three(kKey), original) << "a second evaluation starts anew";
  EXPECT_EQ(first_three(kKey, "b"), original) << "a further name changes nothing";
  std::vector<GeneratorKey> others(6, kKey);
  others[0].seed = 43;
  others[1].suite = "doublif";
  others[2].case_id = "n=17";
  others[3].argument = "b";
  others[4].trial = 1;
  others[5].suite = "doublifyn";
  others[5].case_id = "=16";
  for (const GeneratorKey& other : others)
    EXPECT_NE(first_three(other), original) << other.message();
}

// The same on NumPy 1.24 and 2.x: this test runs under both. A change here changes every input.
TEST(Generator, GivesTheSameBytesOnEveryNumPy) {
  PythonScope scope;
  scope.set_generator(kKey);
  const auto digest = [&](const std::string& draw) {
    const Value value = value_of(
        "list(__import__('hashlib').sha256((" + draw + ").tobytes()).digest()[:4])", scope);
    return testing::elements<uint8_t>(to_array(value, testing::dtype("uint8")).bytes());
  };
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(digest("rng.random(1000)"), (Bytes{16, 188, 241, 193}));
  EXPECT_EQ(digest("rng.random(1000, dtype='float32')"), (Bytes{183, 69, 104, 80}));
  EXPECT_EQ(digest("rng.standard_normal(1000)"), (Bytes{136, 49, 220, 0}));
  EXPECT_EQ(digest("rng.integers(-50, 1000, 1000)"), (Bytes{144, 89, 17, 175}));
  EXPECT_EQ(digest("rng.integers(0, 2**32, 1000, dtype='uint32')"), (Bytes{77, 194, 195, 212}));
}

}  // namespace
}  // namespace warpmark
