#include "worker/confined_start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/assembler.hpp"
#include "compiler/memory_headers.hpp"
#include "worker/fixed_clock.hpp"
#include "worker/sandbox.hpp"

namespace warpmark {

namespace {

// The variables that decide where a library or a program is found, or how a driver starts.
// Sanitizers read theirs at start, from the environment that the process does not get.
constexpr std::array<std::string_view, 7> kPrefixes = {
    "WARPMARK_", "CUDA_", "NVIDIA_", "LD_LIBRARY_PATH=", "TMPDIR=", "PATH=", "VIRTUAL_ENV="};

// The number in a file of the control group, if it is there and a number.
uint64_t number_in(const char* path) {
  uint64_t number = UINT64_MAX;
  try {
    const std::string text = read_file(path);
    const std::string_view digits = trim(text);
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (code != std::errc{} || end != digits.data() + digits.size()) return UINT64_MAX;
  } catch (const Error&) {
    return UINT64_MAX;
  }
  return number;
}

}  // namespace

uint64_t machine_memory() {
  return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

uint64_t half_of_memory() {
  return std::min({machine_memory(), number_in("/sys/fs/cgroup/memory.max"),
                   number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) /
         2;
}

std::vector<std::string> environment_for_libraries() {
  std::vector<std::string> kept;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text(*one);
    const bool wanted =
        std::any_of(kPrefixes.begin(), kPrefixes.end(),
                    [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (wanted && text.find("SECRET") == std::string_view::npos) {
      kept.emplace_back(text);
    }
  }
  return kept;
}

void take_environment(const std::vector<std::string>& environment) {
  for (const std::string& one : environment) {
    const size_t equals = one.find('=');
    if (equals == std::string::npos) continue;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): before there are threads
    ::setenv(one.substr(0, equals).c_str(), one.c_str() + equals + 1, 1);
  }
}

namespace {

std::vector<Header> own_and_toolkit_headers(const Nvrtc& nvrtc, const Confinement& confinement) {
  std::vector<Header> own;
  for (const ConfinedHeader& header : confinement.headers) {
    own.push_back({header.spelling,
                   fmt::format("#line 1 \"{}{}\"\n{}", kVirtualRoot, header.spelling, header.text),
                   header.spelling});
  }
  return read_headers(nvrtc, confinement.toolkit_headers, own, CompileCache(confinement.cache));
}

}  // namespace

uint64_t compile_bytes(const Confinement& confinement) {
  return std::min(confinement.compile_bytes, half_of_memory());
}

UnitCompiler open_confined_compiler(const Confinement& confinement) {
  constexpr int kAnyArchitecture = 90;
  std::vector<std::shared_ptr<ConfinedProgram>> programs;
  for (const std::string& name : confinement.programs) {
    const ConfinedProgram::Limits limits = {compile_bytes(confinement), confinement.compile_cpu_s};
    programs.push_back(std::make_shared<ConfinedProgram>(name, limits));
  }
  std::shared_ptr<const Nvrtc> nvrtc = Nvrtc::open();
  auto headers =
      std::make_shared<const std::vector<Header>>(own_and_toolkit_headers(*nvrtc, confinement));
  UnitCompiler compiler(Compiler(nvrtc, CompileCache("")), headers);
  if (const std::string library = confinement.assembles ? Assembler::find() : "";
      !library.empty()) {
    auto assembler = Assembler::open(library);
    assembler->assemble(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry warm_up() { ret; }\n",
        kAnyArchitecture, "warm_up.ptx");
    compiler.add(std::move(assembler));
  }
  // The first compile opens what the library opens late, the second program's kind included.
  protocol::Prepare warm_up;
  warm_up.units.push_back(
      {"warm_up.cu", "", "extern \"C\" __global__ void warm_up(int*) {}\n", {}, {}, {}, {}, {}});
  warm_up.kernels.push_back({0, "warm_up"});
  compiler.compile(warm_up, kAnyArchitecture);
  for (size_t i = 0; i < programs.size(); ++i) {
    programs[i]->await_ready();
    compiler.add(confinement.programs[i], programs[i]);
  }
  // __DATE__ and __TIME__ would let a grade depend on the time of day.
  fix_clock();
  return compiler;
}

uint64_t run_bytes(uint64_t arrays) {
  constexpr uint64_t kBase = uint64_t{1} << 30;  // threads, registers, reports, code
  constexpr uint64_t kForEach = 4;
  static const uint64_t most = half_of_memory();  // asked before the sandbox
  return std::min(kBase + kForEach * arrays, most);
}

void require_sandbox(const protocol::Confined& confined) {
  if (!confined.confinement.required) return;
  throw environment_error(
      fmt::format("this system has no sandbox for untrusted code: a process can still {}",
                  join(sandbox::leaks(), ", ")),
      "neither Landlock nor seccomp holds here; grade in a separate container, and say "
      "--no-sandbox");
}

std::vector<std::string> enter_sandbox(const protocol::Confined& confined, bool in_memory) {
  const bool compiles = confined.role == protocol::Confined::Role::compile;
  sandbox::Limits limits;
  if (compiles) {
    // The libraries map more on one machine than on another, and with the assembler.
    const uint64_t mapped = sandbox::address_space();
    if (mapped > 0) limits.address_space = mapped + compile_bytes(confined.confinement);
    limits.cpu_s = confined.confinement.compile_cpu_s;
  }
  if (in_memory) sandbox::limit_data_for_good(half_of_memory());
  const std::vector<std::string> hold =
      sandbox::enter(limits, compiles    ? sandbox::Calls::compute
                             : in_memory ? sandbox::Calls::in_memory
                                         : sandbox::Calls::device);
  if (hold.empty()) require_sandbox(confined);
  return hold;
}

}  // namespace warpmark
