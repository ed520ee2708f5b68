// Assembling PTX in this process, by nvJitLink, for devices that load machine code alone.
#pragma once

#include <memory>
#include <string>

#include "base/architecture.hpp"

namespace warpmark {

/// The hint for a machine without nvJitLink.
constexpr const char* kNoAssembler =
    "a CUDA toolkit has it in its lib64, and `pip install nvidia-nvjitlink` brings it";

struct AssemblerTable;

/// An open nvJitLink. It is never closed.
class Assembler {
 public:
  /// A file, or a name that the loader knows, of an nvJitLink that can be opened: that of the active
  /// Python environment, of a CUDA toolkit, or in the loader's path. "" if there is none.
  static std::string find();
  /// Opens what find() returned. Throws an environment error.
  static std::shared_ptr<const Assembler> open(const std::string& library);

  struct Code {
    std::string cubin;
    std::string log;  ///< as `ptxas -v` writes it
  };
  /// Machine code for the architecture, or for the only one that the text is for. Throws a RefusedError with the assembler's text; `name` is
  /// that of the source. Opens no file, and may be called from several threads.
  Code assemble(const std::string& ptx, const Architecture& architecture,
                const std::string& name) const;

 private:
  explicit Assembler(std::shared_ptr<const AssemblerTable> table) : table_(std::move(table)) {}

  std::shared_ptr<const AssemblerTable> table_;
};

}  // namespace warpmark
