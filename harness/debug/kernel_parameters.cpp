#include "debug/kernel_parameters.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/signature.hpp"

namespace warpmark::debugging {
namespace {

// "float const *", "unsigned int", "Pair<int *> &".
TypePointer written_type(const std::string& text) {
  const size_t arguments = text.rfind('>') + 1;  // 0 without any
  const size_t marks = std::min(text.find_first_of("*&", arguments), text.size());
  const std::string base(trim(std::string_view(text).substr(0, marks)));
  const std::optional<DType> dtype = dtype_of_c_type(base);
  TypePointer type = type_of_dtype(std::string(dtype ? dtype->name : ""));
  if (type->kind == ValueType::Kind::unknown) type = unknown_type(base, 0);
  for (const char mark : text.substr(marks)) {
    if (mark == '*') type = pointer_to(type);
  }
  if (text.find('&', marks) == std::string::npos) return type;
  auto reference = std::make_shared<ValueType>(*pointer_to(type));
  reference->reference = true;
  reference->name = type->name + " &";
  return reference;
}

// The kernel of the sources that has this name and as many parameters; null if there is none.
const DeclaredKernel* declared(const std::vector<DeclaredKernel>& all, const std::string& name,
                               size_t count) {
  const auto found = std::ranges::find_if(all, [&](const DeclaredKernel& one) {
    return one.parameters.size() == count &&
           (one.scope + one.name == name || name.ends_with("::" + one.name) || one.name == name);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<NamedType> kernel_parameters(const std::string& symbol, size_t count,
                                         const std::vector<std::string>& sources) {
  Entry entry;
  entry.name = symbol;
  entry.demangled = demangle(symbol);
  const std::string called = entry.called();
  const std::string name = called.substr(0, called.find('<'));
  const auto types = parameter_types(entry.demangled);
  std::vector<NamedType> parameters(count);
  for (size_t i = 0; i < count; ++i) {
    parameters[i].second = written_type(types && types->size() == count ? (*types)[i] : "");
  }
  for (const std::string& source : sources) {
    const std::vector<DeclaredKernel> kernels = declared_kernels(source);
    const DeclaredKernel* const kernel = declared(kernels, name, count);
    if (kernel == nullptr) continue;
    for (size_t i = 0; i < count; ++i) {
      const DeclaredParameter& one = kernel->parameters[i];
      parameters[i].first = one.name;
      if (parameters[i].second->name.empty()) parameters[i].second = written_type(one.type);
    }
    break;
  }
  return parameters;
}

}  // namespace warpmark::debugging
