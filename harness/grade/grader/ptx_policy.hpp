// Checks that compiled code keeps to an assignment's policy.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ptx_contents.hpp"
#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// One use in the code of something that the policy names.
struct PolicyFinding {
  std::string name;   ///< as written in the assignment: "atom", "%clock64", "vprintf"
  std::string found;  ///< its form in the code: "atom.global.add.f32"
  int line = 0;       ///< line of the submitted file; 0 if unknown
  std::string text;   ///< a sentence or two for the student: the use, its place, and what to do
};

struct PolicyFindings {
  std::vector<PolicyFinding> forbidden;  ///< each of these refuses the submission
  std::vector<PolicyFinding> flagged;    ///< for staff
  bool allowed() const { return forbidden.empty(); }
};

/// The names in the assignment's two lists mean:
///   `ld.global.nc`      an opcode with these parts at its beginning
///   `.f16`              an opcode with this modifier anywhere
///   `%clock64`          a special register
///   `vprintf`           a function that is called, or declared to be
///   `writable_globals`  a variable of the module that a launch can leave values in for the next:
///                       something may be stored through its address (compiler/ptx_flow.hpp)
///   `entries`           more kernels than the suite launches
/// A name that is neither special nor known as an opcode is looked for among opcodes and functions.
///
/// `launched` has the symbols of the wanted kernels, `file` is the submission's name. Text that PTX
/// readers may parse differently is always forbidden, under the name "unreadable": it occurs only
/// in inline assembly.
PolicyFindings apply_policy(const PtxPolicy& policy, const PtxContents& contents,
                            const std::set<std::string>& launched, const std::string& file);

/// The message that the code's own variables take more device memory than `limit_bytes`; "" if they
/// do not.
std::string static_memory_excess(const PtxContents& contents, uint64_t limit_bytes);

}  // namespace warpmark
