// The kernels that a source declares, templates included, for error texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct DeclaredParameter {
  std::string name;  ///< "" where none is written
  std::string type;  ///< what stands before it: "const float *"
  friend bool operator==(const DeclaredParameter&, const DeclaredParameter&) = default;
};

struct DeclaredKernel {
  std::string name;
  std::string text;  ///< "scale(U *a, int n)", with "template <typename U> " before it
  bool is_template = false;
  std::vector<DeclaredParameter> parameters;
};

/// Every `__global__` function of a text, in order, as far as reading words can tell: macros are
/// not expanded, and what is not compiled is seen, too. Good for candidates in a message only.
std::vector<DeclaredKernel> declared_kernels(std::string_view source);

/// The text with blanks for comments, so that words in them do not count and all else keeps its
/// place.
std::string blank_comments(std::string_view source);

}  // namespace warpmark
