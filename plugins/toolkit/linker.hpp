// One link of nvJitLink: options, inputs, logs, and the PTX text that comes out.
#pragma once

#include <cuda.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lto.hpp"

namespace warpmark::toolkit {

// nvJitLinkResult, as nvJitLink.h numbers it. A toolkit of wheels has no such header.
enum class Result : int {
  success = 0,
  unrecognized_option = 1,
  missing_arch = 2,
  invalid_input = 3,
  ptx_compile = 4,
  nvvm_compile = 5,
  internal = 6,
  unrecognized_input = 8,
  null_input = 10,
  incompatible_options = 11,
  incorrect_input_type = 12,
  unsupported_arch = 17,
  lto_not_enabled = 18,
};

class Linker {
 public:
  Linker() = default;
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;
  ~Linker();

  Result set_options(const std::vector<std::string>& options);
  Result add(InputType type, std::string_view content, const std::string& name);
  Result add_file(InputType type, const std::string& path);
  Result complete();

  const std::string& errors() const { return errors_; }
  const std::string& info() const { return info_; }
  /// The text that stands for a cubin, or the PTX of -ptx; "" before it is complete.
  const std::string& linked() const { return linked_; }
  bool gives_ptx() const { return gives_ptx_; }

 private:
  Result set_option(const std::string& option);
  Result refuse(Result result, const std::string& text);
  Result add_ptx(std::string text, const std::string& name);
  Result add_fatbin(std::string_view content, const std::string& name);
  Result add_lto(InputType type, std::string_view content, const std::string& name);
  Result compile_lto_inputs(std::string& ptx);
  Result add_object(std::string_view content, const std::string& name);
  Result hand_over(CUjitInputType type, std::string_view content, const std::string& name);
  Result refuse_by_driver(Result result, const std::string& text);
  bool open_link();

  std::vector<std::string> options_;  ///< without those of the architecture and of what comes out
  std::vector<LtoInput> lto_inputs_;
  std::string arch_, errors_, info_, linked_;
  bool lto_ = false, gives_ptx_ = false, verbose_ = false;
  int inputs_ = 0;
  CUcontext context_ = nullptr;  ///< of the link alone, on the first device
  CUlinkState link_ = nullptr;
  std::array<char, 16384> driver_log_{};
  /// The options of link_, into which each of its calls writes the length of the log.
  std::array<void*, 2> driver_values_{driver_log_.data(),
                                      reinterpret_cast<void*>(driver_log_.size())};
};

}  // namespace warpmark::toolkit
