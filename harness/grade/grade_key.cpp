#include "grade/grade_key.hpp"

#include <fmt/format.h>
#include <link.h>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "results/run_context.hpp"

namespace warpmark {

namespace {

// Of what the program's file holds of code and constants: without symbols for debuggers, which are
// nine tenths of it.
int add_segments(dl_phdr_info* info, size_t /*size*/, void* hash) {
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
    const auto* start = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    static_cast<Sha256*>(hash)->add({start, segment.p_memsz});
  }
  return 1;  // the program comes first, and libraries are not asked for
}

std::string program_fingerprint() {
  Sha256 hash;
  ::dl_iterate_phdr(add_segments, &hash);
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
                       bool without_walls) {
  KeyContext context;
  context.program = warpmark_version() + " " + program_fingerprint();
  context.device = fmt::format("{} sm_{}", device.name, device.architecture);
  context.driver_version = fmt::format("{} {}", device.driver_version, fingerprint(device.driver));
  context.nvrtc_version = device.nvrtc_version;
  context.secret = secret_fingerprint;
  context.without_walls = without_walls;
  return context;
}

std::string grade_key(const Submission& submission, const Assignment& assignment,
                      const KeyContext& context) {
  Sha256 hash;
  for (const std::string_view field :
       {std::string_view("warpmark grade 1"), std::string_view(submission.student),
        std::string_view(submission.file), std::string_view(submission.sha256),
        std::string_view(submission.refusal), std::string_view(submission.note),
        std::string_view(assignment.sha256), std::string_view(context.program),
        std::string_view(context.device), std::string_view(context.driver_version),
        std::string_view(context.nvrtc_version), std::string_view(context.secret),
        std::string_view(context.without_walls ? "without walls" : "walls")}) {
    hash.add_field(field);
  }
  return hash.finish_hex();
}

}  // namespace warpmark
