// How a file that is kept in mind is known again.
#pragma once

#include <filesystem>
#include <string>

namespace warpmark {

/// The path, size, times of change, device and inode of a file or folder, in one line; "" if there
/// is none. As long as they are the same, its contents are.
std::string file_facts(const std::filesystem::path& path);

}  // namespace warpmark
