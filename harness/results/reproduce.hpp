// The command that repeats one case of a run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "results/run_context.hpp"

namespace warpmark {

/// The text as one word of a POSIX shell: quoted only where it must be.
std::string shell_word(std::string_view text);

/// "warpmark check suites/x.yaml --case ID", with --device and --seed if the run was given them.
/// The path is as display_path() shows it.
std::string reproduce_command(const std::filesystem::path& suite_file, const std::string& case_id,
                              const RunContext& context);

}  // namespace warpmark
