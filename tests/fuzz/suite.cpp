// Suites: YAML to Suite, its cases, and what plugins get of them.
#include <algorithm>
#include <string>

#include "fuzz/input.hpp"
#include "suite/case.hpp"
#include "suite/suite.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  fuzz::survives([&] {
    const auto suite = parse_suite(std::string(fuzz::text_of(data, size)), "/suites/fuzz.yaml");
    const std::vector<Case> all = cases(suite);
    // Documents of all of 100,000 cases would be the same work again and again.
    for (size_t i = 0; i < std::min<size_t>(all.size(), 8); ++i) {
      fuzz::survives([&] { case_document(all[i]); });
    }
    fuzz::survives([&] { cases(suite, {}, Purpose::bench); });
  });
  return 0;
}
