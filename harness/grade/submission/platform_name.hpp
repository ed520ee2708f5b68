// Parses the names of files and folders in a platform's export.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/platform_id.hpp"

namespace warpmark {

struct PlatformName {
  std::string student;             ///< as the platform writes the name; only shown
  std::vector<std::string> names;  ///< candidates for the name alone, without a group's name before
                                   ///< it
  PlatformId id;                   ///< id of the student
  std::string file;                ///< as the student called the file; "" for a folder
  int attempt = 0;                 ///< Canvas counts what was handed in again
  bool late = false;               ///< the platform marks it as late
};

/// Parses Canvas's "lovelaceada_LATE_1234_56789_saxpy-2.cu": name, late or not, the user's number,
/// the attachment's, and the file, with a number if it was handed in again; for anonymous grading
/// "LATE_anon_Ab3dE_56789_saxpy.cu" (canvas-lms, lib/content_zipper.rb, which writes names in lower
/// case and leaves no "_" before and after a number in them). Returns nothing for three numbers in
/// a row: "kim_1002_666_90_saxpy.cu" may be of a student who is called "kim_1002".
std::optional<PlatformName> canvas_name(std::string_view name);

/// Parses Moodle's folder "Ada Lovelace_1234_assignsubmission_file_", or a file whose name begins
/// so; with "GROUP-" before the name if there are groups, and "Participant" in place of the name if
/// marking is blind. Moodle writes "_" in names and groups as a blank
/// (mod/assign/classes/downloader.php), so that the first number is the participant's, whatever a
/// student calls a file.
std::optional<PlatformName> moodle_name(std::string_view name);

}  // namespace warpmark
