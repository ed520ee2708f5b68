// Plans: their JSON form, which must be the same again after reading and writing.
#include <cstdio>
#include <cstdlib>

#include "base/json_text.hpp"
#include "fuzz/input.hpp"
#include "plan/plan.hpp"
#include "plan/plan_json.hpp"
#include "support/plan_reader.hpp"

namespace {

// A document that holds no plan is what a plugin may answer, too.
void read_as_plugin(const nlohmann::ordered_json& json) {
  warpmark::Plan plan;
  warpmark::read_plan_body(json, plan);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  const nlohmann::ordered_json json = try_parse_ordered_json(fuzz::text_of(data, size));
  if (json.is_discarded()) return 0;
  fuzz::survives([&] { read_as_plugin(json); });
  fuzz::survives([&] {
    const std::string first = json_line(to_json(plan_from_json(json)));
    const std::string second = json_line(to_json(plan_from_json(parse_json(first))));
    if (first == second) return;
    std::fprintf(stderr, "a plan changes when it is written:\n%s\n%s\n", first.c_str(),
                 second.c_str());
    std::abort();
  });
  return 0;
}
