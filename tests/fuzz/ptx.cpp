// PTX, as the CPU device reads it when a module is loaded and its kernels are asked for.
#include <string>
#include <string_view>

#include "fuzz/input.hpp"
#include "program/check_module.hpp"
#include "program/program.hpp"
#include "ptx/device_functions.hpp"
#include "ptx/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark::cpu;
  try {
    const Module module =
        parse_with_device_functions(std::string(warpmark::fuzz::text_of(data, size)));
    Placement placement;
    placement.variable = [&](std::string_view name) {
      const auto found = module.variable_by_name.find(name);
      return found == module.variable_by_name.end() ? 0 : 0x100000 * (found->second + 1);
    };
    placement.shared_window = uint64_t{1} << 40;
    placement.local_window = uint64_t{2} << 40;
    placement.param_window = uint64_t{3} << 40;
    placement.code_window = uint64_t{4} << 40;
    check_module(module, placement);
    for (const Function& function : module.functions) {
      if (!function.entry) continue;
      try {
        decode(module, function, placement);
      } catch (const PtxError&) {  // an instruction that this device has not
      }
    }
  } catch (const PtxError&) {
  }
  return 0;
}
