// One program of NVRTC: its source, headers and options, and its output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/includes.hpp"
#include "compiler/nvrtc.hpp"

namespace warpmark {

/// NVRTC's text for a result, or its number if NVRTC has no text.
std::string result_text(const Nvrtc& nvrtc, nvrtcResult result);

void replace_all(std::string& text, std::string_view from, std::string_view to);

/// Every function throws an environment error if NVRTC does not do what it should.
class NvrtcProgram {
 public:
  NvrtcProgram(const Nvrtc& nvrtc, const std::string& source, const std::string& name,
               const std::vector<Header>& headers);
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() { nvrtc_.table().nvrtcDestroyProgram(&program_); }

  void add_name(const std::string& expression);
  nvrtcResult compile(const std::vector<std::string>& options);
  /// The symbol of a name that was added; nothing if there is none.
  std::optional<std::string> lowered_name(const std::string& expression) const;
  /// The compiler's log, without our root and its own noise.
  std::string log() const;
  /// The PTX without our root and the toolkit's path.
  std::string ptx() const;
  std::string cubin() const;

 private:
  void check(nvrtcResult result, const char* call) const;
  std::string bytes(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                    nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const;
  std::string text(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                   nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const;

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace warpmark
