// Verdicts of this device and of the toolkit's assembler on a PTX text.
#pragma once

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "program/check_module.hpp"
#include "program/program.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {

inline const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";
inline const std::string kRegisters =
    ".reg .u32 %u<9>; .reg .s32 %s<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; "
    ".reg .b64 %rd<9>; .reg .u64 %ud<9>; .reg .u16 %uh<9>; .reg .b16 %h<9>; .reg .f16 %hf<9>; "
    ".reg .pred %p<9>; .reg .b128 %q<9>;\n";
constexpr std::uint32_t kBodyLine = 7;  ///< the line of a kernel's statement

inline std::string kernel(const std::string& statement) {
  return kHeader + ".visible .entry k(.param .u64 out)\n{\n" + kRegisters + statement +
         ";\nret;\n}\n";
}

/// Returns our error, or "" if we take the text. Kernels are decoded, as when they are asked for.
/// After an error, `unsupported` says if the text is right and only this device does not take it.
inline std::string verdict(const std::string& text, std::uint32_t* line = nullptr,
                           bool* unsupported = nullptr) {
  try {
    const Module module = parse_ptx(text);
    Placement placement;
    placement.variable = [&](std::string_view name) {
      return module.variable_by_name.contains(name) ? std::uint64_t{0x10000} : 0;
    };
    check_module(module, placement);
    for (const Function& function : module.functions) {
      if (function.entry && function.has_body) decode(module, function, placement);
    }
  } catch (const PtxError& error) {
    if (line != nullptr) *line = error.line();
    if (unsupported != nullptr) *unsupported = error.unsupported();
    return error.what();
  }
  return "";
}

#ifdef WARPMARK_PTXAS
/// Returns whether ptxas takes the text; false if there is no ptxas.
inline bool ptxas_takes(const std::string& text, const std::string& target = "sm_90") {
  char path[] = "/tmp/warpmark_ptx_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  const std::string command = std::string("timeout 20 '") + WARPMARK_PTXAS + "' -arch " + target +
                              " '" + path + "' -o /dev/null >/dev/null 2>&1";
  const bool taken = written && std::system(command.c_str()) == 0;
  std::remove(path);
  return taken;
}
inline bool have_ptxas() {
  return access(WARPMARK_PTXAS, X_OK) == 0;
}
#endif

}  // namespace warpmark::cpu
