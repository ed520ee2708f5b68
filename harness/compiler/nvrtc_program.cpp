#include "compiler/nvrtc_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/compiler.hpp"
#include "compiler/compiler_log.hpp"

namespace warpmark {

namespace {

// A broken NVRTC may give sizes that nothing has.
constexpr size_t kMostBytes = size_t{1} << 30;

std::string clean_log(const std::string& raw) {
  std::string text = clean_compiler_log(raw);
  replace_all(text, kVirtualRoot, "");
  return text;
}

// Without our root and the toolkit's place. The comments "// callseq 7, 0" lose their numbers,
// which NVRTC counts over all compilations of a process (seen in 12.4).
std::string clean_ptx(std::string text, const Nvrtc& nvrtc) {
  replace_all(text, fmt::format("\"{}", kVirtualRoot), "\"");
  for (const std::string& folder : nvrtc.include_folders()) {
    replace_all(text, "\"" + folder + "/", "\"");
  }
  constexpr std::string_view comment = "// callseq ";
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(comment); at != std::string::npos; at = text.find(comment, done)) {
    const size_t numbers = at + comment.size() - 1;
    out.append(text, done, numbers - done);
    done = std::min(text.find_first_not_of(" ,0123456789", numbers), text.size());
  }
  return out.append(text, done);
}

}  // namespace

std::string result_text(const Nvrtc& nvrtc, nvrtcResult result) {
  const char* text = nvrtc.table().nvrtcGetErrorString(result);
  return text != nullptr ? text : fmt::format("NVRTC error {}", static_cast<int>(result));
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

NvrtcProgram::NvrtcProgram(const Nvrtc& nvrtc, const std::string& source, const std::string& name,
                           const std::vector<Header>& headers)
    : nvrtc_(nvrtc) {
  std::vector<const char*> texts;
  std::vector<const char*> names;
  for (const Header& header : headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.spelling.c_str());
  }
  check(nvrtc.table().nvrtcCreateProgram(&program_, source.c_str(), name.c_str(),
                                         static_cast<int>(headers.size()), texts.data(),
                                         names.data()),
        "nvrtcCreateProgram");
  if (program_ == nullptr) {
    throw environment_error(
        fmt::format("nvrtcCreateProgram of {} succeeded and gave nothing", nvrtc.path()));
  }
}

void NvrtcProgram::add_name(const std::string& expression) {
  check(nvrtc_.table().nvrtcAddNameExpression(program_, expression.c_str()),
        "nvrtcAddNameExpression");
}

nvrtcResult NvrtcProgram::compile(const std::vector<std::string>& options) {
  std::vector<const char*> texts;
  texts.reserve(options.size());
  for (const std::string& option : options) texts.push_back(option.c_str());
  return nvrtc_.table().nvrtcCompileProgram(program_, static_cast<int>(texts.size()), texts.data());
}

std::optional<std::string> NvrtcProgram::lowered_name(const std::string& expression) const {
  const char* name = nullptr;
  const nvrtcResult result =
      nvrtc_.table().nvrtcGetLoweredName(program_, expression.c_str(), &name);
  if (result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID) return std::nullopt;
  check(result, "nvrtcGetLoweredName");
  return name != nullptr ? std::optional<std::string>(name) : std::nullopt;
}

std::string NvrtcProgram::log() const {
  const NvrtcTable& table = nvrtc_.table();
  return clean_log(
      text(table.nvrtcGetProgramLogSize, table.nvrtcGetProgramLog, "nvrtcGetProgramLog"));
}

std::string NvrtcProgram::ptx() const {
  const NvrtcTable& table = nvrtc_.table();
  return clean_ptx(text(table.nvrtcGetPTXSize, table.nvrtcGetPTX, "nvrtcGetPTX"), nvrtc_);
}

std::string NvrtcProgram::cubin() const {
  return bytes(nvrtc_.table().nvrtcGetCUBINSize, nvrtc_.table().nvrtcGetCUBIN, "nvrtcGetCUBIN");
}

void NvrtcProgram::check(nvrtcResult result, const char* call) const {
  if (result == NVRTC_SUCCESS) return;
  throw environment_error(
      fmt::format("{} failed with {} ({})", call, result_text(nvrtc_, result), nvrtc_.path()));
}

std::string NvrtcProgram::bytes(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                                nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const {
  size_t size = 0;
  check(size_of(program_, &size), call);
  if (size > kMostBytes) {
    throw environment_error(fmt::format("{}Size of {} reports {} bytes, more than any kernel has",
                                        call, nvrtc_.path(), size));
  }
  std::string out(size, '\0');
  if (size > 0) check(get(program_, out.data()), call);
  return out;
}

// Texts count their terminator.
std::string NvrtcProgram::text(nvrtcResult (*size_of)(nvrtcProgram, size_t*),
                               nvrtcResult (*get)(nvrtcProgram, char*), const char* call) const {
  const std::string out = bytes(size_of, get, call);
  return out.substr(0, out.find('\0'));
}

}  // namespace warpmark
