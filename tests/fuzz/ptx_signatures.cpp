// PTX, as the harness reads it: entries, contents and the normal form. All take any bytes.
#include "compiler/ptx_contents.hpp"
#include "compiler/ptx_normal.hpp"
#include "compiler/signature.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  const std::string_view text = fuzz::text_of(data, size);
  for (const Entry& entry : scan_entries(text)) {
    parameter_types(entry.demangled);
    entry.text();
    entry.called();
  }
  const PtxContents contents = ptx_contents(text);
  for (const PtxSpace space : {PtxSpace::global, PtxSpace::shared}) contents.bytes_in(space);
  has_matrix_instructions(text);
  normalised_ptx(text);
  usage_in_log(text);
  return 0;
}
