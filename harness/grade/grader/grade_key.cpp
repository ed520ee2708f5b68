#include "grade/grader/grade_key.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/build_id.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "results/run_context.hpp"

namespace warpmark {

namespace {

// The file that this code is loaded from: the program's, or a host's module.
std::string own_file() {
  Dl_info info;
  link_map* map = nullptr;
  const bool found = ::dladdr1(reinterpret_cast<const void*>(&own_file), &info,
                               reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  // The program has no name here. From the file that runs, whatever its name leads to by now.
  return found && map != nullptr && *map->l_name != '\0' ? map->l_name : "/proc/self/exe";
}

// Each build of a program or library has another fingerprint. A file without a build ID is read as a
// whole, and one that cannot be read has at least its version in the key.
std::string fingerprint(const std::string& file) {
  std::string id = build_id(file);
  if (!id.empty()) return id;
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
  context.program = warpmark_version() + " " + fingerprint(own_file());
  context.device = device.name + " " + device.target;
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
