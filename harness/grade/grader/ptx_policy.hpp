// What compiled code must not contain, by an assignment's policy.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ptx_contents.hpp"
#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// One thing that the policy names and the code has.
struct PolicyFinding {
  std::string name;   ///< as the assignment says it: "atom", "%clock64", "vprintf"
  std::string found;  ///< what it is here: "atom.global.add.f32"
  int line = 0;       ///< of the submitted file; 0 if unknown
  std::string text;   ///< a sentence or two for the student: what, where, what to do
};

struct PolicyFindings {
  std::vector<PolicyFinding> forbidden;  ///< each refuses the submission
  std::vector<PolicyFinding> flagged;    ///< for staff
  bool allowed() const { return forbidden.empty(); }
};

/// What the names of a policy mean, in the assignment's two lists:
///   `ld.global.nc`      an opcode with these parts at its beginning
///   `.f16`              an opcode with this modifier anywhere
///   `%clock64`          a special register
///   `vprintf`           a function that is called, or declared to be
///   `writable_globals`  a variable of the module that a launch can leave values in for the next:
///                       something may be stored through its address (compiler/ptx_flow.hpp)
///   `entries`           more kernels than the suite launches
/// A name that is neither special nor known as an opcode is looked for among opcodes and functions.
///
/// `launched` has the symbols of the kernels that are wanted, `file` is the submission's name.
/// Text that readers may read in different ways is always forbidden, under the name "unreadable":
/// only inline assembly has such.
PolicyFindings apply_policy(const PtxPolicy& policy, const PtxContents& contents,
                            const std::set<std::string>& launched, const std::string& file);

/// That the code's own variables take more device memory than `limit_bytes`; "" if they do not.
std::string static_memory_excess(const PtxContents& contents, uint64_t limit_bytes);

}  // namespace warpmark
