#include "cli/draft/plugin_draft.hpp"

namespace warpmark {
namespace {

constexpr const char* kLists = R"TEXT(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)
enable_testing()
find_package(warpmark @VERSION@ REQUIRED COMPONENTS plugin)
warpmark_add_plugin(@NAME@ @NAME@.cpp)
warpmark_discover_tests(@NAME@.yaml)
)TEXT";

constexpr const char* kClass =
    R"TEXT(// The plugin `@NAME@`: makes a kernel that multiplies an array by `kernel.times`. Put yours in its place.
#include <string>
#include <warpmark/plugin.hpp>

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct @CLASS@ {
  // From a case to its plan: what is compiled, with which arguments, and what is launched. Both are
  // described in docs/plugins.md of Warpmark; `warpmark plan SUITE` prints the plans of a suite.
  Json plan(const Json& which) const {
    const Json& kernel = which.at("kernel");
    if (!kernel.contains("times")) {
      throw Failure("/kernel", "`kernel` needs `times`", "kernel: {times: 2}");
    }
    const Json& arguments = which.at("arguments");
    if (arguments.size() != 1 || arguments[0].at("kind") != "inout") {
      throw Failure("/arguments", "the plugin takes one argument, an array that is `inout`");
    }
    const auto array = arguments[0].at("name").get<std::string>();
    const Json at = arguments[0].at("at");  // where errors in what is made of it point to

    Json plan = warpmark::plugin::plan_of_arguments(which);
    plan["units"].push_back({{"source", source(kernel.at("times").get<std::string>())},
                             {"options", Json::array()}});
    const Json size = {{"arithmetic", array + ".size"}, {"at", at}};
    plan["scalars"].push_back({{"name", "count"}, {"dtype", "uint32"}, {"integer", size}});
    const Json blocks = {{"arithmetic", "ceil_div(" + array + ".size, 256)"}, {"at", at}};
    plan["steps"].push_back({{"launch",
                              {{"unit", 0},
                               {"entry", "multiply"},
                               {"grid", Json::array({blocks, 1, 1})},
                               {"block", Json::array({256, 1, 1})},
                               {"arguments", Json::array({array, "count"})}}}});
    return plan;
  }

 private:
  static std::string source(const std::string& times) {
    return "extern \"C\" __global__ void multiply(float *a, unsigned count) {\n"
           "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < count) a[i] *= " + times + ";\n"
           "}\n";
  }
};

WARPMARK_PLUGIN(@NAME@, @CLASS@);
)TEXT";

constexpr const char* kSuite = R"TEXT(warpmark: 1
about: An array times two, by the plugin @NAME@.
plugin: @NAME@
kernel:
  times: 2                            # the plugin's own key
axes:
  n: [1, 1000]
arguments:
  a: {inout: rng.standard_normal(n)}
reference:
  a: 2 * a
tolerance: exact
)TEXT";

constexpr const char* kReadme = R"TEXT(# @NAME@, a plugin of Warpmark

    cmake -B build -DCMAKE_PREFIX_PATH=~/warpmark      # where Warpmark is installed
    cmake --build build && ctest --test-dir build      # @NAME@.yaml is its test
    WARPMARK_PLUGIN_PATH=build/lib/warpmark warpmark check @NAME@.yaml
)TEXT";

std::string filled(std::string text, const std::string& name, const std::string& version) {
  const std::pair<std::string, std::string> words[] = {
      {"@NAME@", name}, {"@CLASS@", class_name(name)}, {"@VERSION@", version}};
  for (const auto& [word, value] : words) {
    for (size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + value.size())) {
      text.replace(at, word.size(), value);
    }
  }
  return text;
}

}  // namespace

std::string class_name(const std::string& name) {
  std::string made;
  bool begins = true;
  for (const char c : name) {
    const bool separates = c == '_' || c == '-';
    if (!separates) made += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = separates;
  }
  // "failure" and "json" are taken.
  return made == "Failure" || made == "Json" ? made + "Plugin" : made;
}

std::vector<DraftFile> draft_plugin(const std::string& name, const std::string& version) {
  return {{"CMakeLists.txt", filled(kLists, name, version)},
          {"README.md", filled(kReadme, name, version)},
          {name + ".cpp", filled(kClass, name, version)},
          {name + ".yaml", filled(kSuite, name, version)}};
}

}  // namespace warpmark
