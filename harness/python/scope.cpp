#include "python/scope.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace warpmark {

void PythonScope::set_value(const std::string& name, PythonValue value) {
  set(name, std::move(value));
}

void PythonScope::set_scalar(const std::string& name, const DType& dtype,
                             std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.size() % dtype.bytes != 0) {
    throw internal_error("scalar `" + name + "` has " + std::to_string(bytes.size()) +
                         " bytes for a " + std::string(dtype.name));
  }
  set(name, NumPyScalar{dtype, {bytes.begin(), bytes.end()}});
}

void PythonScope::set_array(const std::string& name, Array array) {
  set(name, std::move(array));
}

void PythonScope::set_arrays(const std::string& name, ArrayMap arrays) {
  set(name, std::move(arrays));
}

void PythonScope::set_generator(GeneratorKey key) {
  set("rng", std::move(key));
}

std::vector<std::string> PythonScope::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

void PythonScope::set(const std::string& name, Entry entry) {
  const bool taken =
      name == "np" || (name == "rng" && !std::holds_alternative<GeneratorKey>(entry));
  if (taken) {
    throw usage_error("`" + name +
                          "` cannot name an argument or an axis: in every expression it is " +
                          (name == "np" ? "NumPy" : "the argument's random generator"),
                      {}, "give it another name");
  }
  const auto same = std::ranges::find(entries_, name, &std::pair<std::string, Entry>::first);
  if (same != entries_.end()) {
    same->second = std::move(entry);
  } else {
    entries_.emplace_back(name, std::move(entry));
  }
}

}  // namespace warpmark
