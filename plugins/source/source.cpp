// The plugin `source`: hand-written CUDA C++ kernels, one launch or several steps.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

// The units that steps name, each made once: the suite's own kernel, and further files.
class Units {
 public:
  explicit Units(const Json& kernel) : kernel_(kernel) {}

  // The unit of the suite's kernel, with those that are linked with it.
  size_t of_kernel() {
    if (own_ >= 0) return static_cast<size_t>(own_);
    const std::array keys = {"file", "source", "ptx", "cubin", "fatbin"};
    const auto* key =
        std::ranges::find_if(keys, [&](const char* one) { return kernel_.contains(one); });
    if (key == keys.end()) {
      throw Failure("/kernel", "`kernel` needs `file`, `source`, `ptx`, `cubin` or `fatbin`");
    }
    const bool compiled = key - keys.begin() >= 2;
    const size_t index =
        add(compiled ? "file" : *key, kernel_.at(*key), std::string("/kernel/") + *key);
    if (compiled) units_[index]["image"] = *key;
    own_ = static_cast<int>(index);
    if (!kernel_.contains("link")) return index;
    size_t number = 0;
    for (const Json& file : kernel_.at("link")) {
      const size_t linked = add("file", file, "/kernel/link/" + std::to_string(number++));
      units_[index]["link"].push_back(linked);
    }
    return index;
  }

  // The unit of a launch. A program that compiles kernels gets one of them at a time.
  size_t of_launch(const Json& launch, const std::string& at) {
    const bool own = !launch.contains("file");
    if (kernel_.value("compiler", "nvcc") == "nvcc") {
      return own ? of_kernel() : of_file(launch.at("file"), at + "/file");
    }
    const Json& file = own ? kernel_.at("file") : launch.at("file");
    const auto key = std::pair{file.get<std::string>(), launch.at("entry").get<std::string>()};
    const auto found = of_entry_.find(key);
    if (found != of_entry_.end()) return found->second;
    return of_entry_[key] = add("file", file, own ? "/kernel/file" : at + "/file");
  }

  size_t of_file(const Json& file, const std::string& at) {
    if (kernel_.contains("file") && kernel_.at("file") == file) return of_kernel();
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].contains("file") && units_[i].at("file") == file) return i;
    }
    return add("file", file, at);
  }

  Json take() { return std::move(units_); }

 private:
  // Every unit gets the same macros, options and header folders.
  size_t add(const char* key, const Json& text, const std::string& at) {
    Json unit = {{key, text}, {"options", warpmark::plugin::compile_options(kernel_)}};
    if (kernel_.contains("compiler") && std::string("file") == key) {
      unit["compiler"] = kernel_.at("compiler");
    }
    if (kernel_.contains("include")) unit["include"] = kernel_.at("include");
    unit["at"] = at;
    units_.push_back(std::move(unit));
    return units_.size() - 1;
  }

  const Json& kernel_;
  Json units_ = Json::array();
  int own_ = -1;
  std::map<std::pair<std::string, std::string>, size_t> of_entry_;
};

// Steps, with the integers that they give to kernels as scalars of the plan.
class Steps {
 public:
  Steps(Json& plan, Units& units) : plan_(plan), units_(units) {}

  void add(const Json& step) {
    if (!step.contains("launch")) {
      plan_["steps"].push_back(step);
      return;
    }
    Json launch = step.at("launch");
    const auto at = launch.at("at").get<std::string>();
    launch["unit"] = units_.of_launch(launch, at);
    launch.erase("file");
    size_t number = 0;
    for (Json& argument : launch["arguments"]) {
      if (argument.is_object() && argument.contains("array")) {
        launch["pointers"].push_back(
            {{"argument", number}, {"element", argument.at("element")}, {"at", argument.at("at")}});
        argument = Json(argument.at("array"));
      } else if (argument.is_object()) {
        argument = scalar(argument);
      }
      ++number;
    }
    plan_["steps"].push_back({{"launch", std::move(launch)}});
  }

 private:
  // A scalar for each value that a text has: "n >> i = 16".
  std::string scalar(const Json& argument) {
    if (argument.contains("null")) return add_scalar("null", {{"null", true}}, argument.at("at"));
    const Json& value = argument.at("value");
    const auto text = argument.at("text").get<std::string>();
    std::string name = text;
    if (value.is_object()) {
      for (const Json& index : value.value("with", Json::array())) {
        name += ", " + index.at("name").get<std::string>() + " = " + index.at("value").dump();
      }
    } else if (value.dump() != text) {
      name += " = " + value.dump();
    }
    const Json& at = argument.at("at");
    // A float is what Python makes of its text.
    if (!value.is_number_float()) return add_scalar(name, {{"integer", value}}, at);
    return add_scalar(name, {{"value", {{"numpy", value.dump()}, {"at", at}}}}, at);
  }

  std::string add_scalar(const std::string& name, Json what, const Json& at) {
    for (const Json& known : plan_["scalars"]) {
      if (known.at("name") == name) return name;
    }
    what["name"] = name;
    what["at"] = at;
    plan_["scalars"].push_back(std::move(what));
    return name;
  }

  Json& plan_;
  Units& units_;
};

struct Source {
  Json plan(const Json& which) const {
    const Json& kernel = which.at("kernel");
    // The words for kernels of Python have become others here, but a mistake in one is told of them.
    warpmark::plugin::only_keys(
        kernel, {"file", "source", "ptx", "cubin", "fatbin", "triton", "numba", "compiler", "entry",
                 "define", "constexpr", "options", "include", "link"});
    if (!which.contains("launch")) {
      throw Failure("", "`launch` is missing", "launch: {grid: …, block: …}");
    }
    Json plan = warpmark::plugin::plan_of_arguments(which);
    Units units(kernel);
    if (which.at("launch").is_array()) {
      Steps steps(plan, units);
      for (const Json& step : which.at("launch")) steps.add(step);
    } else {
      units.of_kernel();
      if (!kernel.contains("entry")) {
        throw Failure("/kernel", "`kernel` needs `entry`, the name of the __global__ function");
      }
      plan["steps"].push_back({{"launch", launch(which)}});
    }
    plan["units"] = units.take();
    return plan;
  }

 private:
  static Json launch(const Json& which) {
    Json launch = {{"unit", 0}, {"entry", which.at("kernel").at("entry")}};
    launch.update(which.at("launch"));
    launch["arguments"] = Json::array();
    for (const Json& argument : which.at("arguments")) {
      launch["arguments"].push_back(argument.at("name"));
    }
    return launch;
  }
};

}  // namespace

WARPMARK_PLUGIN(source, Source);
