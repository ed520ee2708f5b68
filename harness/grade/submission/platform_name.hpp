// What the names of files and folders in a platform's export say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/platform_id.hpp"

namespace warpmark {

struct PlatformName {
  std::string student;             ///< as the platform writes the name; only shown
  std::vector<std::string> names;  ///< what may be the name alone: without a group's before it
  PlatformId id;                   ///< whose it is
  std::string file;                ///< as the student called the file; "" of a folder
  bool late = false;               ///< the platform says so
};

/// Of Canvas's "lovelaceada_LATE_1234_56789_saxpy-2.cu": name, late or not, the user's number, the
/// attachment's, and the file, with a number if it was handed in again; of anonymous grading
/// "LATE_anon_Ab3dE_56789_saxpy.cu" (canvas-lms, lib/content_zipper.rb, which writes names in lower case
/// and leaves no "_" before and behind a number in them). Nothing for three numbers one after the other:
/// "kim_1002_666_90_saxpy.cu" may be of a student who is called "kim_1002".
std::optional<PlatformName> canvas_name(std::string_view name);

/// Of Moodle's folder "Ada Lovelace_1234_assignsubmission_file_", or of a file of which that is the
/// beginning; with "GROUP-" before the name where there are groups, and "Participant" in its place
/// where marking is blind. Moodle writes "_" in names and groups as a blank
/// (mod/assign/classes/downloader.php), so that the first number is the participant's, whatever a
/// student calls a file.
std::optional<PlatformName> moodle_name(std::string_view name);

}  // namespace warpmark
