// The plugin interface for C++: one class with one method or two, and one macro.
//
//     #include <warpmark/plugin.hpp>
//
//     struct Mine {
//       warpmark::plugin::Json plan(const warpmark::plugin::Json& which) const { … }
//     };
//     WARPMARK_PLUGIN(mine, Mine)   // for warpmark-plugin-mine.so
//
// It needs nlohmann-json's header, as cases and plans are JSON (docs/plugins.md describes both).
// The method throws Failure for what the suite's author can mend; it may be called from several
// threads. A second one, `trial`, is optional (docs/plugins.md).
#pragma once

#include <exception>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "warpmark/plugin.h"

namespace warpmark::plugin {

/// Keeps the order of members, which reads better in plans.
using Json = nlohmann::ordered_json;

/// The reason why there is no plan. `pointer` is the place in the case, a JSON Pointer such as
/// "/kernel/entry"; the harness turns it into a line of the suite.
class Failure : public std::exception {
 public:
  Failure(std::string pointer, std::string message, std::string hint = {})
      : pointer_(std::move(pointer)), message_(std::move(message)), hint_(std::move(hint)) {}

  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& pointer() const { return pointer_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string pointer_;
  std::string message_;
  std::string hint_;
};

/// The common part of most plugins: buffers, scalars, expected values, checks and cost, as in the
/// suite. Units and steps are left empty. The result can be emitted once they are set.
inline Json plan_of_arguments(const Json& which) {
  Json plan = {{"units", Json::array()},
               {"buffers", Json::array()},
               {"scalars", Json::array()},
               {"steps", Json::array()},
               {"expected", Json::array()}};
  const auto add = [&plan](const Json& argument) {
    const std::string kind = argument.at("kind");
    const bool by_value = kind == "scalar" || kind == "null" || kind == "tensor_map";
    Json item = {{"name", argument.at("name")}};
    const bool is_input = kind == "pointers" || kind == "texture";
    if (!by_value) item["direction"] = is_input ? "in" : kind;
    for (const char* key : {"dtype", "shape", "value", "pointers", "image", "partition", "pitch",
                            "offset", "points_to", "tensor_map", "symbol", "null", "at"}) {
      if (argument.contains(key)) item[key] = argument.at(key);
    }
    plan[by_value ? "scalars" : "buffers"].push_back(std::move(item));
  };
  for (const Json& argument : which.at("arguments")) add(argument);
  for (const Json& variable : which.value("globals", Json::array())) add(variable);
  for (const Json& reference : which.at("reference")) {
    plan["expected"].push_back({{"output", reference.at("name")},
                                {"value", reference.at("value")},
                                {"tolerance", reference.at("tolerance")}});
  }
  for (const char* key : {"devices", "checks", "swaps", "renamed", "bytes", "flops"}) {
    if (which.contains(key)) plan[key] = which.at(key);
  }
  return plan;
}

/// The value of a macro of `kernel.define` in C's form.
inline std::string macro_value(const Json& macro) {
  const Json& value = macro.at("value");
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";  // True is no word of C
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// NVRTC's options for `kernel.define` and `kernel.options`: "-DT=float", then the options as
/// written.
inline Json compile_options(const Json& kernel) {
  Json options = Json::array();
  for (const Json& macro : kernel.value("define", Json::array())) {
    options.push_back("-D" + macro.at("name").get<std::string>() + "=" + macro_value(macro));
  }
  for (const Json& option : kernel.value("options", Json::array())) options.push_back(option);
  return options;
}

/// Throws a Failure for a key of `kernel` that is not in `known`.
template <class Names = std::initializer_list<const char*>>
void only_keys(const Json& kernel, const Names& known) {
  for (const auto& item : kernel.items()) {
    bool found = false;
    std::string names;
    for (const char* name : known) {
      found = found || item.key() == name;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    if (!found) {
      throw Failure((Json::json_pointer("/kernel") / item.key()).to_string(),
                    "unknown key of `kernel` `" + item.key() + "`", "known: " + names);
    }
  }
}

/// Passes the JSON that `answer` makes of the case to the host; no exception leaves it.
template <class Answer>
int hand_over(const char* text, size_t length, const warpmark_plugin_host* host,
              Answer answer) noexcept {
  try {
    const Json made = answer(Json::parse(text, text + length));
    const std::string json = made.dump();
    host->emit(host->user, json.data(), json.size());
    return 0;
  } catch (const Failure& failure) {
    host->fail(host->user, failure.pointer().c_str(), failure.what(), failure.hint().c_str());
  } catch (const std::exception& error) {
    host->fail(host->user, "", error.what(), "this is a mistake in the plugin");
  } catch (...) {
    host->fail(host->user, "", "an unknown exception", "this is a mistake in the plugin");
  }
  return 1;
}

template <class Class>
int plan_with(const char* text, size_t length, const warpmark_plugin_host* host) noexcept {
  return hand_over(text, length, host, [](const Json& which) { return Class().plan(which); });
}
template <class Class>
int trial_with(const char* text, size_t length, const warpmark_plugin_host* host) noexcept {
  return hand_over(text, length, host, [](const Json& which) { return Class().trial(which); });
}

// True for a class with `trial(const Json&)`. Plugins are C++17, which has no `requires`.
template <class Class, class = void>
struct HasTrial : std::false_type {};
template <class Class>
struct HasTrial<Class, std::void_t<decltype(Class().trial(std::declval<const Json&>()))>>
    : std::true_type {};

/// The function that makes trials, or null for a class that makes none.
template <class Class>
constexpr auto trial_function() -> decltype(warpmark_plugin::trial) {
  if constexpr (HasTrial<Class>::value) {
    return &trial_with<Class>;
  } else {
    return nullptr;
  }
}

}  // namespace warpmark::plugin

/// Exports the plugin NAME, whose plans `CLASS().plan(case)` makes, and trials `CLASS().trial(case)`.
#define WARPMARK_PLUGIN(NAME, CLASS)                                                         \
  extern "C" WARPMARK_PLUGIN_EXPORT const warpmark_plugin* warpmark_plugin_v1(void) {        \
    static const warpmark_plugin plugin = {sizeof(warpmark_plugin), WARPMARK_PLUGIN_VERSION, \
                                           #NAME, &::warpmark::plugin::plan_with<CLASS>,     \
                                           ::warpmark::plugin::trial_function<CLASS>()};     \
    return &plugin;                                                                          \
  }                                                                                          \
  static_assert(true, "a semicolon may follow")
