// What `check` may ask of outputs: its kinds, and the keys of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

enum class CheckKind : uint8_t {
  function,      ///< of a Python file beside the suite
  sorted,        ///< along the last axis
  permutation,   ///< of the elements of another array
  within,        ///< between two bounds, which belong to it
  moments,       ///< mean and variance of a sample
  distribution,  ///< a sample of one of SciPy's
  written,       ///< whatever its values
};

/// The keys of a check. That of its kind names what it is about: an output, or the function.
struct CheckForm {
  CheckKind kind;
  std::string key;
  std::vector<std::string> needed;    ///< keys of NumPy that must be there
  std::vector<std::string> one_of;    ///< of these at least one must
  std::vector<std::string> optional;  ///< these may
  std::string word;                   ///< a key of text; "" for none
  std::vector<std::string> words;     ///< the texts that it may be; none for any name
  bool has_args = false;              ///< `args`, a list of NumPy, may be there

  /// Of NumPy, in the order in which plans have them.
  std::vector<std::string> values() const;
};

const std::vector<CheckForm>& check_forms();
const CheckForm& form_of(CheckKind kind);
/// The keys of all kinds.
std::vector<std::string> check_names();

}  // namespace warpmark
