// Names of kernels as people call them.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// The name in "void ns::tk<float>(float*)" or "(anonymous namespace)::k(int)+0x90": "ns::tk", "k".
/// It has neither result nor arguments of the template nor parameters, nor namespaces without a
/// name, as in the reports of the CPU device.
std::string plain_name(std::string_view demangled);

/// That of a symbol, mangled or not.
std::string readable_symbol(const std::string& symbol);

}  // namespace warpmark
