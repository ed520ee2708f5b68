// The debug sections of a PTX text, with the addresses of the programs that it has.
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/input.hpp"
#include "program/debug_image.hpp"
#include "program/program.hpp"
#include "ptx/debug_sections.hpp"
#include "ptx/device_functions.hpp"
#include "ptx/error.hpp"

namespace {

using namespace warpmark::cpu;

void require(bool holds) {
  if (!holds) std::abort();
}

// Sections lie behind each other in the text, and all places in them are there.
void check(std::string_view text) {
  std::size_t before = 0;
  for (const DebugSection& section : debug_sections(text)) {
    require(section.name.starts_with(".debug_"));
    require(section.begin >= before && section.end > section.begin && section.end <= text.size());
    before = section.end;
    // Each number has a separator, and no more than eight bytes.
    require(section.bytes.size() <= 8 * (section.end - section.begin));
    for (const auto& [at, reference] : section.references)
      require(at + reference.bytes <= section.bytes.size());
    for (const auto& [name, at] : section.labels) require(at <= section.bytes.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = warpmark::fuzz::text_of(data, size);
  check(text);
  try {
    const Module module = parse_with_device_functions(std::string(text));
    Placement placement;
    placement.variable = [](std::string_view) { return 0x100000; };
    for (const Function& function : module.functions) {
      if (!function.entry) continue;
      const Program program = decode(module, function, placement);
      debug_image(program, [](std::string_view name) { return name.size(); });
    }
  } catch (const PtxError&) {  // an instruction that this device has not
  }
  return 0;
}
