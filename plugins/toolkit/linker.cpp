#include "linker.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "driver.hpp"
#include "ptx_header.hpp"

namespace warpmark::toolkit {
namespace {

constexpr std::string_view kElf =
                               "\x7f"
                               "ELF",
                           kArchive = "!<arch>\n", kFatbin = "\x50\xed\x55\xba";
constexpr std::size_t kFatbinHeaderBytes = 16;

// Where a cubin has 190, EM_CUDA, and an object of the host 62.
bool is_cubin(std::string_view elf) {
  return elf.size() > 19 && static_cast<unsigned char>(elf[18]) == 190;
}

// The fatbins in an object of the host or an archive of such, wherever its sections are.
std::vector<std::string_view> fatbins_in(std::string_view content) {
  std::vector<std::string_view> found;
  for (std::size_t at = content.find(kFatbin); at != std::string_view::npos;
       at = content.find(kFatbin, at)) {
    std::uint16_t header = 0;
    std::uint64_t bytes = 0;
    if (content.size() - at >= kFatbinHeaderBytes) {
      std::memcpy(&header, content.data() + at + 6, sizeof header);
      std::memcpy(&bytes, content.data() + at + 8, sizeof bytes);
    }
    if (header >= kFatbinHeaderBytes && header <= content.size() - at &&
        bytes <= content.size() - at - header) {
      found.push_back(content.substr(at, header + bytes));
      at += header + bytes;
    } else {
      at += kFatbin.size();
    }
  }
  return found;
}

// True if a fatbin has LTO IR and no PTX. An entry begins with its kind (16 bits), the size of its
// header (32 bits from the fourth byte) and that of its content (64 bits from the eighth), as seen.
bool has_only_lto_ir(std::string_view fatbin) {
  constexpr std::uint16_t kPtx = 1, kLtoIr = 8;
  constexpr std::size_t kEntryBytes = 16;
  bool found = false;
  for (std::size_t at = kFatbinHeaderBytes; at + kEntryBytes <= fatbin.size();) {
    std::uint16_t kind = 0;
    std::uint32_t header = 0;
    std::uint64_t bytes = 0;
    std::memcpy(&kind, fatbin.data() + at, sizeof kind);
    std::memcpy(&header, fatbin.data() + at + 4, sizeof header);
    std::memcpy(&bytes, fatbin.data() + at + 8, sizeof bytes);
    if (kind == kPtx) return false;
    found = found || kind == kLtoIr;
    const std::size_t left = fatbin.size() - at;
    if (header < kEntryBytes || header > left || bytes > left - header) break;
    at += header + bytes;
  }
  return found;
}

// The type of an input by its first bytes, if the real library recognises it.
InputType type_of(std::string_view content) {
  if (content.starts_with(kElf)) return is_cubin(content) ? InputType::cubin : InputType::object;
  if (content.starts_with(kArchive)) return InputType::library;
  if (content.starts_with(kFatbin)) return InputType::fatbin;
  if (content.starts_with("BC\xc0\xde") || content.starts_with("\xed\x43\x4e\x7f"))
    return InputType::lto_ir;
  return header_word(content, ".version").empty() ? InputType::any : InputType::ptx;
}

const char* name_of(InputType type) {
  constexpr const char* kNames[] = {"NONE",   "CUBIN",  "PTX",     "LTOIR",
                                    "FATBIN", "OBJECT", "LIBRARY", "INDEX"};
  return kNames[static_cast<int>(type)];
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// sm_90, sm_90a or sm_100f
bool is_architecture(std::string_view name) {
  if (!name.starts_with("sm_")) return false;
  name.remove_prefix(3);
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
  return is_number(name);
}

constexpr int kOldestArchitecture = 50;

}  // namespace

Linker::~Linker() {
  if (link_ == nullptr) return;
  driver()->link_destroy(link_);
  driver()->context_destroy(context_);
}

Result Linker::refuse(Result result, const std::string& text) {
  errors_ += text + '\n';
  return result;
}

Result Linker::set_options(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (const Result result = set_option(option); result != Result::success) return result;
  }
  if (arch_.empty())
    return refuse(Result::missing_arch, "ERROR 2: the option -arch=sm_NN is missing");
  if (gives_ptx_ && !lto_) return refuse(Result::incompatible_options, "ERROR 11: -ptx needs -lto");
  return Result::success;
}

Result Linker::set_option(const std::string& option) {
  // These options concern machine code, and have no effect on PTX.
  static constexpr std::string_view kWords[] = {
      "-g",  "-lineinfo", "-time", "-optimize-unused-variables", "-no-cache", "-r", "-O0",
      "-O1", "-O2",       "-O3",   "-device-stack-protector"};
  static constexpr std::string_view kNames[] = {"-maxrregcount",
                                                "-ftz",
                                                "-prec-div",
                                                "-prec-sqrt",
                                                "-fma",
                                                "-kernels-used",
                                                "-variables-used",
                                                "-split-compile",
                                                "-split-compile-extended",
                                                "-jump-table-density",
                                                "-Xptxas",
                                                "-Xnvvm",
                                                "-device-stack-protector"};
  const std::size_t sign = option.find('=');
  const std::string_view name = std::string_view(option).substr(0, sign);
  if (name == "-arch" && sign != std::string::npos) {
    arch_ = option.substr(sign + 1);
    if (arch_.starts_with("compute_"))
      return refuse(Result::incompatible_options, "ERROR 11: '" + option + "' is no sm_NN");
    if (!is_architecture(arch_))
      return refuse(Result::unrecognized_option, "ERROR 1: unrecognized option '" + option + "'");
    if (number_of_architecture(arch_) < kOldestArchitecture)
      return refuse(Result::unsupported_arch, "ERROR 17: '" + option + "' is not supported");
  } else if (option == "-lto") {
    lto_ = true;
  } else if (option == "-ptx") {
    gives_ptx_ = true;
  } else if (option == "-verbose") {
    verbose_ = true;
  } else if (std::ranges::find(kWords, option) == std::end(kWords) &&
             (sign == std::string::npos || std::ranges::find(kNames, name) == std::end(kNames))) {
    return refuse(Result::unrecognized_option, "ERROR 1: unrecognized option '" + option + "'");
  } else {
    options_.push_back(option);
  }
  return Result::success;
}

Result Linker::add_file(InputType type, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return refuse(Result::invalid_input, "no such file: " + path);
  return add(type, content, path);
}

Result Linker::add(InputType type, std::string_view content, const std::string& name) {
  if (content.empty()) return Result::invalid_input;
  if (!linked_.empty()) return Result::internal;  // as the real one answers
  const std::string label = name.empty() ? "input " + std::to_string(inputs_ + 1) : name;
  const InputType found = type_of(content);
  if (type == InputType::any) {
    if (found == InputType::any)
      return refuse(Result::unrecognized_input, "unrecognized input type: " + label);
  } else if (static_cast<int>(type) < 1 || type > InputType::index) {
    return refuse(Result::incorrect_input_type, "unsupported input type: " + label);
  } else if (found != type && !(type == InputType::cubin && found == InputType::ptx) &&
             !(type == InputType::object && found == InputType::cubin)) {
    // PTX is the cubin of the stand-ins of NVRTC and nvcc.
    return refuse(Result::incorrect_input_type,
                  std::string("ERROR 1: bad input: does not match type NVJITLINK_INPUT_") +
                      name_of(type) + ": " + label);
  }
  switch (found) {
    case InputType::lto_ir:
      return add_lto(found, content, label);
    case InputType::ptx:
      return add_ptx(std::string(content.substr(0, content.find('\0'))), label);
    case InputType::fatbin:
      return add_fatbin(content, label);
    case InputType::object:
    case InputType::library:
      return add_object(content, label);
    default:
      return refuse(Result::invalid_input,
                    label +
                        " holds code for a GPU; this device links PTX: make it with nvcc "
                        "-rdc=true -gencode arch=compute_90,code=compute_90");
  }
}

Result Linker::add_ptx(std::string text, const std::string& name) {
  const std::string target(header_word(text, ".target"));
  if (number_of_architecture(target) > number_of_architecture(arch_))
    return refuse(Result::ptx_compile,
                  name + ": its .target " + target + " is higher than -arch=" + arch_);
  return hand_over(CU_JIT_INPUT_PTX, with_readable_version(std::move(text)), name);
}

Result Linker::add_fatbin(std::string_view content, const std::string& name) {
  if (has_only_lto_ir(content)) return add_lto(InputType::fatbin, content, name);
  return hand_over(CU_JIT_INPUT_FATBINARY, content, name);
}

Result Linker::add_lto(InputType type, std::string_view content, const std::string& name) {
  if (!can_compile_lto())
    return refuse(Result::nvvm_compile,
                  name +
                      ": LTO IR is no PTX, which is what this device executes, and there is no "
                      "nvJitLink of the toolkit to compile it: install that, or compile "
                      "without -dlto");
  if (!lto_)
    return refuse(Result::lto_not_enabled, "ERROR 18: " + name + " is LTO IR, which needs -lto");
  lto_inputs_.push_back({type, std::string(content), name});
  return Result::success;
}

// They may call functions of PTX inputs. PTX can call none of theirs that is no kernel, as with the
// real library: the link keeps no function that only PTX refers to.
Result Linker::compile_lto_inputs(std::string& ptx) {
  std::vector<std::string> options = options_;
  options.push_back("-arch=" + arch_);
  LtoResult made = compile_lto(options, lto_inputs_);
  lto_inputs_.clear();
  info_ += made.info;
  if (made.result != 0) {
    errors_ += made.errors;
    return static_cast<Result>(made.result);
  }
  ptx = std::move(made.ptx);
  return Result::success;
}

Result Linker::add_object(std::string_view content, const std::string& name) {
  if (name.ends_with("libcudadevrt.a")) return Result::success;  // the device has that itself
  const std::vector<std::string_view> fatbins = fatbins_in(content);
  if (fatbins.empty())
    return refuse(Result::invalid_input, name + " has no fatbin in it, and so no PTX");
  for (const std::string_view fatbin : fatbins) {
    if (const Result result = add_fatbin(fatbin, name); result != Result::success) return result;
  }
  return Result::success;
}

// The driver's log has all that went wrong so far.
Result Linker::refuse_by_driver(Result result, const std::string& text) {
  errors_ = driver_log_.data();
  if (!errors_.empty() && errors_.back() != '\n') errors_ += '\n';
  return refuse(result, text);
}

// The real library needs no context: that of the program may have failed, and stays as it is.
bool Linker::open_link() {
  if (link_ != nullptr) return true;
  const Driver* cuda = driver();
  if (cuda == nullptr || cuda->init(0) != CUDA_SUCCESS ||
      cuda->context_create(&context_, 0, 0) != CUDA_SUCCESS)
    return false;
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  const CUresult result = cuda->link_create(2, names, driver_values_.data(), &link_);
  CUcontext popped = nullptr;
  cuda->pop(&popped);  // the program's own is current again
  if (result == CUDA_SUCCESS) return true;
  link_ = nullptr;
  cuda->context_destroy(context_);
  return false;
}

Result Linker::hand_over(CUjitInputType type, std::string_view content, const std::string& name) {
  if (!open_link())
    return refuse(Result::internal, "there is no device (libcuda.so.1) to link PTX for");
  const CUresult result = driver()->link_add(link_, type, const_cast<char*>(content.data()),
                                             content.size(), name.c_str(), 0, nullptr, nullptr);
  if (result == CUDA_SUCCESS) {
    ++inputs_;
    return Result::success;
  }
  return refuse_by_driver(Result::ptx_compile,
                          "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (" + name + ")");
}

Result Linker::complete() {
  if (!linked_.empty()) return Result::internal;  // as the real one answers
  if (gives_ptx_ && inputs_ != 0)
    return refuse(Result::incorrect_input_type, "ERROR: -ptx requires that all inputs have LTOIR");
  if (!lto_inputs_.empty()) {
    std::string ptx;
    if (const Result result = compile_lto_inputs(ptx); result != Result::success) return result;
    // The references of this text stay open: the program adds it to its next link.
    if (gives_ptx_) {
      linked_ = std::move(ptx);
      return Result::success;
    }
    if (const Result result = add_ptx(std::move(ptx), "LTO IR"); result != Result::success)
      return result;
  }
  if (!open_link())
    return refuse(Result::internal, "there is no device (libcuda.so.1) to link PTX for");
  void* image = nullptr;
  std::size_t bytes = 0;
  if (inputs_ == 0) {  // the real one makes an empty cubin
    linked_ = ".version 8.0\n.target " + arch_ + "\n.address_size 64\n";
    return Result::success;
  }
  if (driver()->link_complete(link_, &image, &bytes) != CUDA_SUCCESS) {
    return refuse_by_driver(Result::internal, "ERROR 1: finish");
  }
  // A cubin for a later architecture would not be loaded on the device, and so its text is not.
  linked_ = with_target(std::string(static_cast<const char*>(image)), arch_);
  if (verbose_) info_ += "warpmark-cpu: the inputs were linked to PTX, in place of a cubin\n";
  return Result::success;
}

}  // namespace warpmark::toolkit
