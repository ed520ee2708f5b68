// Assignments, beside the suites of the first course.
#include <string>

#include "fuzz/input.hpp"
#include "grade/assignment/assignment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  fuzz::survives([&] {
    parse_assignment(std::string(fuzz::text_of(data, size)),
                     WARPMARK_SOURCE_DIR "/courses/first/doublify/assignment.yaml");
  });
  return 0;
}
