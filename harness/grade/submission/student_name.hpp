// Names of students, in every script and with any bytes, as text and as names of folders.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// The bytes of a file's name as UTF-8 that any file of results keeps: a byte that is not UTF-8
/// becomes "\xE4", a control or bidirectional character "\u{202E}", a backslash two, so that two
/// names stay two.
std::string student_name(std::string_view bytes);

/// A folder's name for a student: different for each student, readable, and safe on any file
/// system. All but letters of any script, digits, "._-", and spaces in the middle is written "%2F".
/// Names that make more than 200 bytes are cut, and end in "~" and part of their hash.
std::string folder_name(std::string_view student);

}  // namespace warpmark
