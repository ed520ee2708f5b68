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
  std::string scope;  ///< "a::b::" for one in namespaces
  std::string text;   ///< "b::scale(U *a, int n)", with "template <typename U> " before it
  int line = 0;       ///< of its name
  bool is_template = false;
  std::string template_head = {};  ///< "template <typename U>" as a whole; "" for no template
  std::vector<DeclaredParameter> parameters;
};

/// Every `__global__` function of a text, in order, as far as its declarations tell: macros are not
/// expanded, and branches that are not compiled are seen, too.
std::vector<DeclaredKernel> declared_kernels(std::string_view source);

}  // namespace warpmark
