// Files of projects: sources with code for the CPU, from which suites are drafted, and what a build
// says about them.
#include <string>

#include "cli/draft/compile_commands.hpp"
#include "cli/draft/source_facts.hpp"
#include "compiler/device_part.hpp"
#include "compiler/host_code.hpp"
#include "compiler/host_headers.hpp"
#include "fuzz/input.hpp"

namespace {

using namespace warpmark;

void read_source(const std::string& text) {
  DeviceNeeds needs;
  needs.lacks_header = [](const std::string& name, bool) { return is_host_header(name); };
  const DevicePart part = device_part({{text, ""}, {text, "x.h"}}, needs);
  const SourceFacts facts({text, part.texts[0]});
  for (const DeclaredKernel& kernel : facts.kernels) {
    for (const DeclaredParameter& parameter : kernel.parameters) {
      types_text(facts.types.structs(parameter.type.substr(0, parameter.type.find(' '))));
    }
    host_parameter_hint(text, kernel.line);
  }
  find_host_code(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const fuzz::InputFile file(text);
  fuzz::survives([&] { read_source(std::string(text)); });
  fuzz::survives([&] { shell_words(std::string(text)); });
  fuzz::survives([&] { read_compile_commands(file.path()); });
  return 0;
}
