// The plugin `source`: a hand-written CUDA C++ kernel, launched once.
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct Source {
  Json plan(const Json& which) const {
    const Json& kernel = which.at("kernel");
    warpmark::plugin::only_keys(kernel, {"file", "source", "entry", "define", "options"});
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
    plan["units"].push_back(unit(kernel));
    plan["steps"].push_back({{"launch", launch(which)}});
    return plan;
  }

 private:
  static Json unit(const Json& kernel) {
    const char* key = kernel.contains("file") ? "file" : "source";
    return {{key, kernel.at(key)},
            {"options", warpmark::plugin::compile_options(kernel)},
            {"at", std::string("/kernel/") + key}};
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
