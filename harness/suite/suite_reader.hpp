// Small readers of YAML nodes, whose errors name the expected value.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suite/suite.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

class KeyedMap;

/// The error for a word that is not among `known`: "unknown WHAT `WORD`", with the nearest as hint.
Error unknown_word(const std::string& what, const std::string& word, const Position& where,
                   const std::vector<std::string>& known);

/// Throws unless the node is a map with keys from `known` only; `what` names it ("`launch`").
void require_map(const YamlNode& node, const std::string& what,
                 const std::vector<std::string>& known);
/// Throws unless the node is a map, whose keys may be any names.
void require_named_map(const YamlNode& node, const std::string& what);
void require_list(const YamlNode& node, const std::string& what);
/// Calls `read` for a node that is one element, or for each element of a list of one or more.
void read_one_or_more(const YamlNode& node, const std::string& what,
                      const std::function<void(const YamlNode&)>& read);

/// Throws unless the document has `warpmark: 1`, the version of our formats.
void require_format_version(const YamlNode& root);

Located read_text(const YamlNode& node, const std::string& what);
/// A value that Python computes: an expression, or {function: FILE.py:NAME}.
PythonText read_python(const YamlNode& node, const std::string& what);
/// The one of `words` that the node has.
std::string read_word(const YamlNode& node, const std::string& what,
                      const std::vector<std::string>& words);
template <Worded T>
T read_word(const YamlNode& node, const std::string& what) {
  const auto all = words(T());
  const std::string word = read_word(node, what, {all.begin(), all.end()});
  return static_cast<T>(std::ranges::find(all, word) - all.begin());
}
/// Returns true for the node `true` and false for `false`.
bool read_truth(const YamlNode& node, const std::string& what);
Expression read_expression(const YamlNode& node, const std::string& what);
/// One expression or a list of one or more.
std::vector<Expression> read_expressions(const YamlNode& node, const std::string& what);

std::vector<Axis> read_axes(const YamlNode& node);
/// Fills in `cases`, and the axes if the suite has none: those of the first case.
void read_cases(const YamlNode& node, Suite& suite);
/// Names the axes of a suite that has listed cases only. To be called after the arguments are read,
/// since cases name patterns of their values, too.
void name_case_axes(Suite& suite);
/// A map of axes to one value each.
std::vector<AxisChoice> read_axis_choices(const YamlNode& node, const std::string& what);
Kernel read_kernel(const YamlNode& node);
/// Fills in `tolerance` and `output_tolerances`.
void read_tolerance(const YamlNode& node, Suite& suite);
/// Fills in `checks`.
void read_checks(const YamlNode& node, Suite& suite);
/// Fills in `fault`, `report` or `compile_error`, or `counters` and `composites`.
void read_expect(const YamlNode& node, Suite& suite);
/// The keys of `expect` that are composites.
std::vector<std::string> composite_names();
/// Fills in `composites` from the map of `expect`.
void read_composites(const KeyedMap& expect, Suite& suite);
/// Fills in `baseline`.
void read_baseline(const YamlNode& node, Suite& suite);
/// Returns whether a name, which becomes part of a file's, has letters a to z, digits, _ and - alone.
bool is_file_word(std::string_view name);
Located read_plugin(const YamlNode& node);
/// `kernel` says what a launch without `block` has, if its compiler gives blocks a size.
SuiteLaunch read_launch(const YamlNode& node, const Kernel& kernel);
/// Later structs may have earlier ones as fields.
std::vector<StructType> read_types(const YamlNode& node);
Limits read_limits(const YamlNode& node);
/// True if the text can name a variable of C++, Python and arithmetic.
bool is_identifier(std::string_view text);
std::vector<Argument> read_arguments(const YamlNode& node);
/// An argument with the key `tensor_map`.
Argument read_tensor_map(const YamlMember& member);
/// Variables of the module: `constants`, whose values may be given without a map, or `globals`.
std::vector<Argument> read_globals(const YamlNode& node, bool constants);

/// The error for a word that a tensor map does not have for the key.
Error unknown_tensor_word(const std::string& key, const Located& word);
/// Throws it for a word that is none of the key's and no axis either.
void check_tensor_words(const SuiteTensorMap& map, const std::vector<std::string>& axes);

/// Throws for a name that neither C++, Python nor arithmetic could use as a variable.
void check_name(const std::string& name, const Position& where);
/// Throws unless the value is the name of a dtype.
void check_dtype(const ArithmeticValue& value, const Position& where);
/// Checks the rules that span several keys: names that expressions use, equal names, missing
/// references.
void check_suite(const Suite& suite);
/// Throws for a reference or a tolerance that is of no use, and for outputs without either.
void check_references(const Suite& suite);
/// Throws for a check of an argument that is no output, or for a case without outputs.
void check_checks(const Suite& suite);
/// True if a check may concern the output: the parameters of a function are not known here.
bool is_checked(const Suite& suite, const std::string& output);
/// Checks that the files and folders that a suite names exist, below its own folder.
void check_suite_files(const Suite& suite);

}  // namespace warpmark
