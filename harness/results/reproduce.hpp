// The command that repeats one case of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run_context.hpp"

namespace warpmark {

/// The text as one word of a POSIX shell: quoted only where it must be.
std::string shell_word(std::string_view text);

/// One case of one run.
struct RepeatedCase {
  std::filesystem::path suite_file;
  std::string id;
  std::vector<std::string> axes;  ///< those that were overridden, as -a takes them: "n=1048576"
  std::optional<uint64_t> trial;  ///< the one to repeat, if the run had more than trial 0
  std::optional<uint64_t> schedule = {};  ///< in which it failed, if not the usual one
  std::string step = {};                  ///< whose launch has the mistake; "" for none of several
};

/// "warpmark check suites/x.yaml --case ID", with -a, --step, --trial and --schedule as the case needs
/// them, and with --device, --seed and --timeout-s if the run was given them. Only `check` has --step. The path is as display_path() shows
/// it.
std::string reproduce_command(const RepeatedCase& which, const RunContext& context);

}  // namespace warpmark
