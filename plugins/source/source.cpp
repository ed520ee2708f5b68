// The plugin `source`: a hand-written CUDA C++ kernel, launched once.
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct Source {
  Json plan(const Json& which) const {
    const Json& kernel = which.at("kernel");
    warpmark::plugin::only_keys(
        kernel, {"file", "source", "entry", "define", "options", "include", "link"});
    if (!kernel.contains("file") && !kernel.contains("source")) {
      throw Failure("/kernel", "`kernel` needs `file` or `source`");
    }
    if (!kernel.contains("entry")) {
      throw Failure("/kernel", "`kernel` needs `entry`, the name of the __global__ function");
    }
    if (!which.contains("launch")) {
      throw Failure("", "`launch` is missing", "launch: {grid: …, block: …}");
    }
    Json plan = warpmark::plugin::plan_of_arguments(which);
    const char* key = kernel.contains("file") ? "file" : "source";
    plan["units"].push_back(unit(kernel, key, kernel.at(key), std::string("/kernel/") + key));
    if (kernel.contains("link")) {
      for (const Json& file : kernel.at("link")) {
        const size_t index = plan["units"].size();
        plan["units"][0]["link"].push_back(index);
        plan["units"].push_back(
            unit(kernel, "file", file, "/kernel/link/" + std::to_string(index - 1)));
      }
    }
    plan["steps"].push_back({{"launch", launch(which)}});
    return plan;
  }

 private:
  // Every unit gets the same macros, options and header folders.
  static Json unit(const Json& kernel, const char* key, const Json& text, const std::string& at) {
    Json unit = {{key, text}, {"options", warpmark::plugin::compile_options(kernel)}};
    if (kernel.contains("include")) unit["include"] = kernel.at("include");
    unit["at"] = at;
    return unit;
  }

  static Json launch(const Json& which) {
    Json launch = {{"unit", 0}, {"entry", which.at("kernel").at("entry")}};
    for (const char* key : {"grid", "block", "shared"}) launch[key] = which.at("launch").at(key);
    launch["arguments"] = Json::array();
    for (const Json& argument : which.at("arguments")) {
      launch["arguments"].push_back(argument.at("name"));
    }
    launch["at"] = which.at("launch").at("at");
    return launch;
  }
};

}  // namespace

WARPMARK_PLUGIN(source, Source);
