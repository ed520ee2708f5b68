// How this process was called, for journals and reports.
#pragma once

#include <string>
#include <vector>

namespace warpmark {

/// As a shell takes it, without these options ("--shard") and their values; "warpmark" where it
/// cannot be read, which is no reason to run nothing.
std::string command_line(const std::vector<std::string>& left_out = {});

}  // namespace warpmark
