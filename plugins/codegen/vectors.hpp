// Arrays as vectors: how many elements a thread takes at once, and the CUDA C++ for it.
#pragma once

#include <string>
#include <vector>

#include "codegen/parameters.hpp"
#include "codegen/usage.hpp"

namespace warpmark::codegen {

/// How the generated kernel treats one parameter.
struct Access {
  Parameter parameter;
  Usage usage;
  bool lane = false;    ///< as a vector: the expression gets the elements of its own index
  bool loads = false;   ///< of a lane
  bool stores = false;  ///< of a lane
};

struct Layout {
  std::vector<Access> accesses;  ///< in the order of parameters
  int width = 1;                 ///< elements that a thread takes at once; 1: no vectors
};

/// Decides it. Arrays that are used as `name[i]` only and whose element size is known become lanes,
/// unless something writes an array in another way: then nothing does, since the order of reads and
/// writes is the author's. The width gives the widest type 16 bytes, and the narrowest 4 or more.
Layout lay_out(const std::vector<Parameter>& parameters, const Expression& expression);

/// The parameters that are lanes: all their elements are accessed, whatever the expression does.
std::vector<Parameter> lanes_of(const Layout& layout);

/// CUDA C++ that generated kernels share: `warpmark::Lane`, `warpmark::load` and so on. It stands
/// before the suite's macros, which so cannot change it.
const std::string& vector_prelude();

/// The parameter list of a __device__ function that holds the expression: lanes are Lane<…>, the
/// rest is as written.
std::string device_parameters(const Layout& layout);
/// The parameter list as written, for the kernel.
std::string kernel_parameters(const Layout& layout);
/// Arguments for device_parameters: lanes are made from the names that `element` gives.
/// `from_memory` is for one element of index `index`, an expression.
std::string arguments_from_memory(const Layout& layout, const std::string& index);
/// The kernel's name for the vectors of an array, which no parameter's name can make another's.
std::string vectors_of(const Parameter& parameter);
/// Arguments, with lanes from the vectors of the kernel: an element of them, as in
/// "[0][1]".
std::string arguments_from_vectors(const Layout& layout, const std::string& index,
                                   const std::string& subscript);
/// "static_assert(sizeof(T) == 4, …);" for each lane: the size decided the geometry.
std::string size_assertions(const Layout& layout);
/// An expression that is true if all lanes start at a vector's boundary; `start` is the first
/// index.
std::string alignment_test(const Layout& layout, const std::string& start);

}  // namespace warpmark::codegen
