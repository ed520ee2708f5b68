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
  bool no_sandbox = false;
  int limit_s = 570;      ///< after which a submission is not graded any further
  std::string arguments;  ///< of `warpmark grade`, each a word of the shell
  std::string grades;     ///< the folder of the archive that grades are compared with
};

/// The script of that name:
///   setup.sh        installs Python and NumPy, and proves that the program grades; needs a network
///   run_autograder  grades /autograder/submission. Whatever happens, there is a results.json
///                   afterwards: the first is written before anything else, so that one is left even
///                   if the script is killed. It has neither `score` nor `tests`: to Gradescope that
///                   is a run of the autograder which failed, and staff can repeat it
///   Dockerfile      makes the image over another base
///   regrade         grades again what an audit's archive holds, and compares
std::string pack_script(const std::string& name, const PackScripts& about);

}  // namespace warpmark
