// A suite of two units, good and broken, for every device that links.
#pragma once

#include <string>

#include "unit/runtime/session_fixture.hpp"

namespace warpmark {

enum class LinkCase { good, unresolved, duplicate };

/// `Fixture` is a SessionTest whose `write` and `run` can be reached.
template <class Fixture>
Outcome run_link(Fixture& fixture, LinkCase which) {
  const std::string helper = which == LinkCase::unresolved
                                 ? "__device__ int other() { return 4; }\n"
                                 : "__device__ int factor() { return FACTOR; }\n";
  const std::string main = which == LinkCase::duplicate ? "__device__ int factor() { return 3; }\n"
                                                        : "extern __device__ int factor();\n";
  fixture.write("helpers.cu", helper);
  return fixture.run(
      "kernel: {file: k.cu, entry: k, link: [helpers.cu], define: {FACTOR: 4}}\n"
      "arguments:\n"
      "  a: {inout: np.arange(8)}\n"
      "launch: {block: 8}\n"
      "reference: {a: 4 * a}\n",
      main + "extern \"C\" __global__ void k(float *a) { a[threadIdx.x] *= factor(); }\n");
}

template <class Fixture>
void expect_links(Fixture& fixture) {
  const Outcome good = run_link(fixture, LinkCase::good);
  EXPECT_EQ(good.verdict, Verdict::passed) << good.message;
  for (const LinkCase which : {LinkCase::unresolved, LinkCase::duplicate}) {
    const Outcome bad = run_link(fixture, which);
    EXPECT_EQ(bad.failure, FailureKind::compile) << bad.message;
    EXPECT_THAT(bad.message, testing::HasSubstr("do not link"));
    EXPECT_THAT(bad.message, testing::HasSubstr("factor"));
  }
}

}  // namespace warpmark
