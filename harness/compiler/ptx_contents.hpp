// The contents of a PTX text: opcodes, special registers, variables, functions; found by parsing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx_flow.hpp"

namespace warpmark {

/// The place of a first occurrence.
struct PtxPlace {
  int ptx_line = 0;  ///< from 1
  /// The file of the `.loc` before it. The source's author chose this name: show it, never open it.
  std::string file;
  int line = 0;  ///< line in that file; 0 if unknown
  friend bool operator==(const PtxPlace&, const PtxPlace&) = default;
};

/// A name that functions' bodies use; each name is listed once.
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
  /// For a global or constant variable: whether a kernel may change it, and the place of the change.
  PtxChange change = PtxChange::never;
  PtxPlace changed_at;
};

struct PtxContents {
  /// By the whole dotted name, as in "ld.global.nc.f32"; the text may have spaces between
  /// modifiers.
  std::map<std::string, PtxUse> opcodes;
  /// Names with % that no `.reg` declares, and all registers that PTX defines: "%tid", "%clock64".
  std::map<std::string, PtxUse> registers;
  std::map<std::string, PtxUse> calls;  ///< by the called symbol; "" for calls through a pointer
  std::vector<PtxVariable> variables;   ///< global, constant, shared and local ones
  std::vector<std::string> entries;     ///< kernels with a body
  std::vector<std::string> functions;   ///< device functions with a body
  std::vector<std::string> externs;     ///< functions that are declared without a body
  /// The first text that this reader does not know, or that readers may parse differently; it
  /// occurs only in text that a person wrote. Nothing else here is reliable then, not even sizes.
  /// "PTX line 7: a string with a backslash"; "" if there is none.
  std::string trouble;

  /// Static memory of a space in bytes, as far as 64 bits hold it.
  uint64_t bytes_in(PtxSpace space) const;
};

/// True if the first word of a text, behind blanks and comments, is `.version`, as in every PTX
/// module.
bool is_ptx(std::string_view text);

/// The place of a statement. Code inlined from another file, as atomicAdd() is from a header, counts
/// where it was called.
PtxPlace place_of(const cpu::Module& module, const cpu::Statement& statement);

/// Reads any bytes: throws only if memory runs out, takes linear time, and keeps no more than some
/// thousand names; more than that is trouble.
PtxContents ptx_contents(std::string_view ptx);

/// True if some instruction is of the matrix units (mma, wmma, wgmma, tcgen05), or if the text is
/// not understood, so that one may be.
bool has_matrix_instructions(std::string_view ptx);

}  // namespace warpmark
