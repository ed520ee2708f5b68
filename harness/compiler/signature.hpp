// The entries of a PTX text and their parameters, and the search for one by the name that a person
// wrote.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/launch_limits.hpp"

namespace warpmark {

/// One parameter of an entry. Sizes come from the PTX and decide; the type is advisory.
struct EntryParameter {
  size_t offset = 0;  ///< bytes, in the parameter buffer
  size_t bytes = 0;
  size_t alignment = 1;  ///< bytes
  std::string type;      ///< C++, as a demangler writes it: "float*"; "" if unknown
  friend bool operator==(const EntryParameter&, const EntryParameter&) = default;
};

/// The value of one parameter, where a compiler's kernels take others than a suite's arguments.
struct ParameterSource {
  /// "argument": the argument itself; "null": a null pointer; of an array, as integers of 8 bytes,
  /// "size" (elements), "itemsize" (bytes), "extent" and "stride" (bytes) of an axis; "scratch":
  /// memory of the launch that no argument has
  std::string what;
  uint64_t argument = 0;  ///< index into the suite's arguments
  uint64_t axis = 0;
  uint64_t bytes = 0;  ///< of scratch, for each block of the grid
  friend bool operator==(const ParameterSource&, const ParameterSource&) = default;
};

struct Entry {
  std::string name;       ///< the symbol: "doublify", "_Z5scalePf"
  std::string demangled;  ///< "scale(float*)"; the symbol itself if it is not mangled
  std::vector<EntryParameter> parameters;
  KernelBounds bounds;  ///< from its directives and, for registers and memory, the ptxas log
  std::vector<ParameterSource> sources = {};  ///< of its parameters; none: the suite's arguments

  /// Text for people: "doublify(float*)", or with sizes if types are unknown: "doublify(8 bytes)".
  std::string text() const;
  /// The name for a suite's `entry`, "ns::scale<float>": find_entry finds the entry by it.
  std::string called() const;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// A variable of a module: `__constant__` or `__device__`.
struct VariableFacts {
  std::string name;    ///< as the suite writes it, "ns::table"
  std::string symbol;  ///< "" if the source has no such variable
  std::string type;    ///< C++, as a demangler writes it: "float [16]"; "" if unknown
  friend bool operator==(const VariableFacts&, const VariableFacts&) = default;
};

/// A struct as the suite describes it, for the compiler to confirm.
struct LayoutQuestion {
  std::string name;                 ///< C++, "ns::Particle"
  std::vector<std::string> fields;  ///< without the fields of structs within
  friend bool operator==(const LayoutQuestion&, const LayoutQuestion&) = default;
};

/// The kind of a field, or of an array's elements, for the language's own types.
struct FieldFacts {
  enum class Kind : uint8_t {
    other,  ///< a class, such as `__half`, or a union
    boolean,
    signed_integer,
    unsigned_integer,
    floating,
    character,  ///< `char`, which has either sign
    enumeration,
    pointer
  };
  Kind kind = Kind::other;
  size_t bytes = 0;  ///< of one element
  friend bool operator==(const FieldFacts&, const FieldFacts&) = default;
};

/// The compiler's layout of a struct, in bytes.
struct LayoutFacts {
  std::string name;
  size_t bytes = 0, alignment = 0;
  std::vector<size_t> offsets;  ///< offsets of the question's fields
  std::vector<FieldFacts> fields;
  std::string problem;  ///< why there is no answer; "" if there is one
  friend bool operator==(const LayoutFacts&, const LayoutFacts&) = default;
};

/// The compiler's facts about kernels and what they share with the host.
struct Signatures {
  std::vector<Entry> kernels;
  std::vector<VariableFacts> variables;
  std::vector<LayoutFacts> layouts;
};

/// Every `.entry` in the text, in its order, with parameters laid out as by the driver. Never
/// throws: PTX made from untrusted source is read as far as it makes sense.
std::vector<Entry> scan_entries(std::string_view ptx);

/// The types of a parameter list as a demangler writes it, split at its top-level commas:
/// "scale(float*, std::pair<int, int>)" gives two; nothing if there is no list.
std::optional<std::vector<std::string>> parameter_types(std::string_view demangled);

/// Sets the types, if there are as many as parameters and no scalar's size contradicts.
void set_types(Entry& entry, const std::vector<std::string>& types);

/// The C++ name of a mangled symbol, or the symbol itself.
std::string demangle(const std::string& symbol);

/// The argument that a suite gives for one parameter.
struct GivenArgument {
  bool array = false;
  std::optional<DType> dtype;  ///< nothing: any
  /// An array that begins at a multiple of 16 bytes, or an integer that is a multiple of 16.
  bool aligned = false;
  bool one = false;  ///< an integer that is 1
};

/// The entry with this symbol, or else the only one whose demangled name is `wanted`, with or
/// without template arguments, namespaces or parameters. If there are several, the only one that
/// takes `arguments`, if these are given. `file` is for the error, a verdict that lists the entries
/// and the nearest name.
const Entry& find_entry(const std::vector<Entry>& entries, const std::string& wanted,
                        const std::string& file, const std::vector<GivenArgument>& arguments = {});

/// Registers and static shared memory of each entry from the log of `ptxas -v`.
std::map<std::string, KernelBounds> usage_in_log(std::string_view log);

}  // namespace warpmark
