// The kinds of `check` for outputs, and the keys of each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpmark {

enum class CheckKind : uint8_t {
  function,      ///< a function of a Python file beside the suite
  sorted,        ///< sorted along the last axis
  permutation,   ///< a permutation of the elements of another array
  within,        ///< between two bounds, including them
  moments,       ///< mean and variance of a sample
  distribution,  ///< a sample of one of SciPy's distributions
  written,       ///< written, with any values
};

class KeyTable;

/// The keys of a check. The first is that of its kind, and names an output, or the function.
struct CheckForm {
  CheckForm(CheckKind check, const KeyTable& table, std::vector<std::string> some_of = {});

  CheckKind kind;
  std::shared_ptr<const KeyTable> keys;
  std::string key;                  ///< the first
  std::vector<std::string> values;  ///< the keys of NumPy, in their order in plans
  std::vector<std::string> one_of;  ///< keys of which at least one must be given
  std::string word;                 ///< the key of a text; "" for none
  std::vector<std::string> words;   ///< allowed texts; empty for any name
  bool has_args = false;            ///< `args`, a list of NumPy, may be given
};

const std::vector<CheckForm>& check_forms();
const CheckForm& form_of(CheckKind kind);
/// The keys of all kinds.
std::vector<std::string> check_names();

}  // namespace warpmark
