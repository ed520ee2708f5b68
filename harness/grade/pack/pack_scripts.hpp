// The scripts of archives: the two that Gradescope runs, one when it makes an image and one for each
// submission, and the one that grades an audit's submissions again.
#pragma once

#include <string>

namespace warpmark {

struct PackScripts {
  std::string program;         ///< the program's file in the archive
  std::string package;         ///< of a package of Python, what Python is to run there; else ""
  std::string assignment;      ///< the assignment's file there
  std::string python_version;  ///< "3.11": of the libpython that the program is linked to
  std::string release;         ///< "Debian GNU/Linux 12 (bookworm)", which the program was built on
  bool has_secret = false;     ///< else the image makes its own
  bool no_sandbox = false;
  int limit_s = 570;  ///< after which a submission is not graded any further
};

/// Installs Python and NumPy, and proves that the program grades. Needs a network.
std::string setup_script(const PackScripts& about);

/// Grades /autograder/submission. Whatever happens, there is a results.json afterwards.
std::string run_script(const PackScripts& about);

/// Grades again what an audit's archive holds, by `arguments` of `warpmark grade`, each a word of the
/// shell, and compares with the grades in the folder `grades` of the archive.
std::string regrade_script(const PackScripts& about, const std::string& arguments,
                           const std::string& grades);

}  // namespace warpmark
