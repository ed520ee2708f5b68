#include "grade/grade_key.hpp"

#include <fmt/format.h>
#include <link.h>

#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "results/run_context.hpp"

namespace warpmark {

namespace {

struct LoadedFile {
  std::string path;
  std::vector<ElfW(Phdr)> segments;
};

// The file that this code is loaded from: the program's, or a host's module.
LoadedFile own_file() {
  LoadedFile own;
  const auto look = [](dl_phdr_info* info, size_t /*size*/, void* into) {
    const auto here = reinterpret_cast<ElfW(Addr)>(&own_file);
    for (const ElfW(Phdr)* one = info->dlpi_phdr; one != info->dlpi_phdr + info->dlpi_phnum;
         ++one) {
      const ElfW(Addr) begin = info->dlpi_addr + one->p_vaddr;
      if (one->p_type != PT_LOAD || here < begin || here - begin >= one->p_memsz) continue;
      // The program has no name here. From the file that runs, whatever its name leads to by now.
      *static_cast<LoadedFile*>(into) = {
          *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe",
          {info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum}};
      return 1;
    }
    return 0;
  };
  ::dl_iterate_phdr(look, &own);
  return own;
}

// Of what our file holds of code and constants: without symbols for debuggers, which may be nine
// tenths of it.
std::string program_fingerprint() {
  const LoadedFile own = own_file();
  std::ifstream file(own.path, std::ios::binary);
  Sha256 hash;
  std::vector<char> bytes;
  for (const ElfW(Phdr) & segment : own.segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    bytes.resize(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw Error(ExitCode::environment, "the program cannot read its own file, " + own.path);
    hash.add({bytes.data(), bytes.size()});
  }
  return hash.finish_hex();
}

// A library that cannot be read has at least its version in the key.
std::string fingerprint(const std::string& file) {
  try {
    return sha256_hex(read_file(file));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

KeyContext key_context(const DeviceFacts& device, const std::string& secret_fingerprint,
                       bool no_sandbox) {
  KeyContext context;
  context.program = warpmark_version() + " " + program_fingerprint();
  context.device = fmt::format("{} sm_{}", device.name, device.architecture);
  context.driver_version = fmt::format("{} {}", device.driver_version, fingerprint(device.driver));
  context.nvrtc_version = device.nvrtc_version;
  context.secret = secret_fingerprint;
  context.no_sandbox = no_sandbox;
  return context;
}

std::string grade_key(const Submission& submission, const Assignment& assignment,
                      const KeyContext& context) {
  Sha256 hash;
  for (const std::string_view field :
       {std::string_view("warpmark grade 2"), std::string_view(submission.student),
        std::string_view(submission.file), std::string_view(submission.sha256),
        std::string_view(submission.refusal), std::string_view(submission.note),
        std::string_view(assignment.verdict_sha256), std::string_view(context.program),
        std::string_view(context.device), std::string_view(context.driver_version),
        std::string_view(context.nvrtc_version), std::string_view(context.secret),
        std::string_view(context.no_sandbox ? "no sandbox" : "sandbox")}) {
    hash.add_field(field);
  }
  // The hash of all of them does not say why one of them is missing.
  for (const SubmittedFile& file : submission.files) {
    hash.add_field(file.file).add_field(file.own_sha256).add_field(file.refusal);
  }
  return hash.finish_hex();
}

}  // namespace warpmark
