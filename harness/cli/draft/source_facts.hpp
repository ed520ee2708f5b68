// The facts of a kernel's source and headers that a draft of a suite needs, as its tokens tell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/draft/struct_draft.hpp"
#include "compiler/declared_kernels.hpp"

namespace warpmark {

/// A call that reads or writes a texture or surface: `tex2D<float4>(image, x, y)`.
struct ImageCall {
  std::string function;                ///< "tex2D"
  std::string element;                 ///< "float4"; "" where it is not written
  std::vector<std::string> arguments;  ///< the first two; "" for an expression
};

/// A variable that the host sets before the launch: `__constant__ float table[16];`.
struct DeclaredConstant {
  std::string name;        ///< with its namespaces
  bool has_value = false;  ///< an initialiser, so that the host need not set it
};

struct SourceFacts {
  /// The texts of a file and its headers, which have to stay as long as this.
  explicit SourceFacts(const std::vector<std::string_view>& sources);

  /// The declaration of a kernel by its name in suites; null if the sources do not show it.
  const DeclaredKernel* find(const std::string& called, size_t parameters) const;

  std::vector<DeclaredKernel> kernels;
  std::vector<ImageCall> image_calls;
  std::vector<DeclaredConstant> constants;
  DraftTypes types;
};

}  // namespace warpmark
