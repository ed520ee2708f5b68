// What a PTX text contains: opcodes, special registers, variables, functions; found by parsing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx_flow.hpp"

namespace warpmark {

/// Where something stands first.
struct PtxPlace {
  int ptx_line = 0;  ///< from 1
  /// By the `.loc` before it. A name that the source's author chose: to be shown, never opened.
  std::string file;
  int line = 0;  ///< of that file; 0 if unknown
  friend bool operator==(const PtxPlace&, const PtxPlace&) = default;
};

/// What is used in functions' bodies, each name once.
struct PtxUse {
  PtxPlace first;
  uint64_t count = 0;
};

enum class PtxSpace : uint8_t { global, constant, shared, local };

struct PtxVariable {
  std::string name;
  PtxSpace space = PtxSpace::global;
  uint64_t bytes = 0;  ///< as far as 64 bits hold it
  bool initialised = false;
  bool external = false;  ///< defined elsewhere, or sized at launch
  bool managed = false;
  bool in_function = false;
  /// Of a global or constant one: whether a kernel may change it, and where that is.
  PtxChange change = PtxChange::never;
  PtxPlace changed_at;
};

struct PtxContents {
  /// By the whole dotted name, as in "ld.global.nc.f32"; modifiers stand apart from it at times.
  std::map<std::string, PtxUse> opcodes;
  /// Names with % that no `.reg` declares, and all that PTX defines: "%tid", "%clock64".
  std::map<std::string, PtxUse> registers;
  std::map<std::string, PtxUse> calls;  ///< by the called symbol; "" for calls through a pointer
  std::vector<PtxVariable> variables;   ///< global, constant, shared and local ones
  std::vector<std::string> entries;     ///< kernels with a body
  std::vector<std::string> functions;   ///< device functions with a body
  std::vector<std::string> externs;     ///< functions that are declared and have none
  /// What this reader does not know, or what readers may read in different ways; only text that a
  /// person wrote has it. Nothing else here is sure then, sizes included. "PTX line 7: a string
  /// with a backslash"; "" if there is none.
  std::string trouble;

  /// Static memory of a space in bytes, as far as 64 bits hold it.
  uint64_t bytes_in(PtxSpace space) const;
};

/// Reads any bytes: never throws but for want of memory, is linear in their number, and keeps no
/// more than some thousand names; what goes beyond is trouble.
PtxContents ptx_contents(std::string_view ptx);

/// Whether some instruction is of the matrix units (mma, wmma, wgmma, tcgen05), or the text is not
/// understood, so that one may be.
bool has_matrix_instructions(std::string_view ptx);

}  // namespace warpmark
