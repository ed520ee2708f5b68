// Compares a struct as a suite describes it with the compiler's layout.
#pragma once

#include <optional>
#include <string>

#include "base/dtype.hpp"
#include "compiler/signature.hpp"

namespace warpmark {

struct LayoutDifference {
  std::string text;  ///< "the field `n` of `Params` is at byte 4 by the suite, …"
  std::string hint;
};

/// The first difference between the struct `name` of a suite and the compiler's; nothing if there
/// is none.
std::optional<LayoutDifference> layout_difference(const std::string& name, const DType& described,
                                                  const LayoutFacts& compiled);

}  // namespace warpmark
