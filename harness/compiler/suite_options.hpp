// The options that a suite gives to a compiler, apart from those that Warpmark gives itself.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct SuiteOptions {
  std::string standard = "c++17";    ///< the version of the language
  std::vector<std::string> further;  ///< all others, in their order
};

/// Takes the standard out of the options, so that it replaces ours: compilers warn of a second one.
/// It may be written in each way that nvcc takes ("-std=c++20", "--std c++20", or as two options);
/// the last one counts. Throws a usage error for options that choose an architecture.
SuiteOptions suite_options(const std::vector<std::string>& options);

/// True if one of the options has one of these names, which are without dashes.
bool has_option(const std::vector<std::string>& options,
                std::initializer_list<std::string_view> names);

}  // namespace warpmark
