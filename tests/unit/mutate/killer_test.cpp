// The search for a case that kills a mutant.
#include "mutate/killer.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace warpmark {
namespace {

std::vector<Case> cases_with(std::initializer_list<int64_t> values) {
  auto suite = std::make_shared<Suite>();
  suite->name = "s";
  std::vector<Case> cases;
  for (const int64_t value : values) {
    cases.push_back(case_at(suite, {{"n", value, std::to_string(value)}}));
  }
  return cases;
}

int64_t n_of(const Case& which) {
  return std::get<int64_t>(which.point.front().value);
}

TEST(Killer, FindsASizeBesideTheGivenOnes) {
  const auto found =
      find_killer(cases_with({128, 256}), [](const Case& which) { return n_of(which) % 128 != 0; });
  EXPECT_EQ(found, "n=257");
}

TEST(Killer, TriesNoCaseTwiceAndNotManyOfThem) {
  std::set<std::string> seen;
  const auto found = find_killer(cases_with({1, 2, 3}), [&](const Case& which) {
    EXPECT_TRUE(seen.insert(which.id).second);
    EXPECT_GT(n_of(which), 3);
    return false;
  });
  EXPECT_FALSE(found);
  EXPECT_LE(seen.size(), 16U);
}

TEST(Killer, CasesThatCannotBeAreLeftOut) {
  const auto found = find_killer(cases_with({8}), [](const Case& which) {
    if (n_of(which) % 2 == 1) throw usage_error("n must be even");
    return n_of(which) == 9;
  });
  EXPECT_FALSE(found);
  EXPECT_FALSE(find_killer({}, [](const Case&) { return true; }));
}

}  // namespace
}  // namespace warpmark
