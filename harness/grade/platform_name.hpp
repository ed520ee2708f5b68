// What the names of files and folders in a platform's export say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct PlatformName {
  std::string student;           ///< as the platform writes the name
  std::vector<std::string> ids;  ///< what a roster may know, the most certain first
  std::string file;              ///< as the student called the file; "" of a folder
  bool late = false;             ///< the platform says so
};

/// Of Canvas's "lovelaceada_LATE_1234_56789_saxpy-2.cu": name, late or not, the user's number, the
/// submission's, and the file, with a number if it was handed in again.
std::optional<PlatformName> canvas_name(std::string_view name);

/// Of Moodle's folder "Ada Lovelace_1234_assignsubmission_file_", or of a file of which that is the
/// beginning.
std::optional<PlatformName> moodle_name(std::string_view name);

}  // namespace warpmark
