// The structs of a kernel's source, as the `types` of a suite describe them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "compiler/declarations.hpp"

namespace warpmark {

struct DraftField {
  std::string name;
  std::string type;              ///< as in `types`: "float32", "float3", "ns::Point", "float *"
  std::vector<int64_t> extents;  ///< of an array
};

/// A struct that a suite can describe.
struct DraftStruct {
  std::string name;  ///< C++, with its namespaces: "ns::Particle", "Pair<float, 4>"
  std::vector<DraftField> fields;
  DType dtype;  ///< the struct as find_dtype gives it
};

/// The types that sources declare: structs, enumerations, and other names of types.
class DraftTypes {
 public:
  explicit DraftTypes(const std::vector<std::string_view>& sources);
  DraftTypes(DraftTypes&&) = default;
  DraftTypes& operator=(DraftTypes&&) = default;

  /// The struct of this name, as the compiler writes it, after the structs that its fields have;
  /// nothing if there is none that a suite can describe: base classes, virtual functions, bit
  /// fields, unions and fields of unknown types are in the way. Only the compiler knows the layout.
  std::vector<DraftStruct> structs(const std::string& type) const;

  /// True if a source declares an enumeration of this name, whatever its namespace.
  bool is_enum(std::string_view name) const;

 private:
  struct Declared {
    std::string scope;               ///< "a::b::"
    const Declaration* declaration;  ///< in declarations_
    const std::vector<SourceToken>* tokens;
  };
  friend class StructReader;

  void add(const std::vector<Declaration>& declarations, const std::vector<SourceToken>& tokens,
           const std::string& scope);

  std::vector<std::vector<SourceToken>> tokens_;             ///< of each source
  std::vector<std::vector<Declaration>> declarations_;       ///< of each source
  std::multimap<std::string, Declared, std::less<>> types_;  ///< by name without namespaces
};

/// The structs as a suite's `types`, indented below that key: "  Particle: {x: float32}\n".
std::string types_text(const std::vector<DraftStruct>& structs);

}  // namespace warpmark
