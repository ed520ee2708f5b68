#include "runtime/argument_order.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/declared_kernels.hpp"

namespace warpmark {
namespace {

// "" for a file that cannot be read, which others report.
std::string text_of(const Unit& unit, const PlannedCase& planned) {
  if (!unit.source.empty() || !unit.image.empty()) return unit.source;
  const std::filesystem::path suite = planned.positions.find("").file;
  try {
    return read_file(suite.parent_path() / unit.file);
  } catch (const Error&) {
    return "";
  }
}

// "scale" of "ns::scale<float, 4>".
std::string unqualified_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const size_t scope = name.rfind("::");
  return std::string(trim(scope == std::string::npos ? name : name.substr(scope + 2)));
}

// True if both have the same names, each once.
bool have_one_set(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  const std::set<std::string> names(some.begin(), some.end());
  return names.size() == some.size() && some.size() == others.size() &&
         names == std::set<std::string>(others.begin(), others.end());
}

}  // namespace

std::string misplaced_arguments(const PlannedCase& planned, const LaunchStep& launch) {
  const std::string text = text_of(planned.plan.units.at(launch.unit), planned);
  const std::string name = unqualified_name(launch.entry);
  std::string found;
  for (const DeclaredKernel& kernel : declared_kernels(text)) {
    if (kernel.name != name) continue;
    std::vector<std::string> parameters;
    for (const DeclaredParameter& one : kernel.parameters) parameters.push_back(one.name);
    if (parameters == launch.arguments) return "";  // one of several overloads
    if (!have_one_set(launch.arguments, parameters)) continue;
    found =
        fmt::format("the arguments are in the order {}, and the parameters of `{}` in the order {}",
                    join(launch.arguments, ", "), name, join(parameters, ", "));
  }
  return found;
}

}  // namespace warpmark
