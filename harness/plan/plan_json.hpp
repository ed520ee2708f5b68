// Reading the JSON form of plans, of which plugins write a part.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/plan.hpp"

namespace warpmark {

/// A value of the document and the JSON Pointer to it, which messages name: each throws a usage
/// error where the value is not as it is asked for. Refers to the document, which must outlive it.
class PlanValue {
 public:
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  PlanValue(const nlohmann::ordered_json& json, std::string pointer)
      : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw usage_error(
        fmt::format("the plan's `{}` {}", pointer_.empty() ? "/" : pointer_, problem));
  }

  const nlohmann::ordered_json& json() const { return json_; }

  void members(const std::vector<std::string>& known) const {
    if (!json_.is_object()) fail("must be an object");
    for (const auto& [key, value] : json_.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      fail(
          fmt::format("has the unknown member `{}`; known: {}", printable(key), join(known, ", ")));
    }
  }

  std::optional<PlanValue> find(const std::string& key) const {
    if (!json_.is_object()) fail("must be an object");
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return PlanValue(*found, pointer_ + "/" + pointer_token(key));
  }

  PlanValue get(const std::string& key) const {
    const auto value = find(key);
    if (!value) fail(fmt::format("lacks the member `{}`", key));
    return *value;
  }

  std::vector<PlanValue> list() const {
    if (!json_.is_array()) fail("must be an array");
    std::vector<PlanValue> values;
    for (size_t i = 0; i < json_.size(); ++i) {
      values.emplace_back(json_[i], fmt::format("{}/{}", pointer_, i));
    }
    return values;
  }

  std::string text() const {
    if (!json_.is_string()) fail("must be a string");
    return json_.get<std::string>();
  }

  std::string nonempty() const {
    if (text().empty()) fail("must not be empty");
    return text();
  }

  bool truth() const {
    if (!json_.is_boolean()) fail("must be true or false");
    return json_.get<bool>();
  }

  std::string optional_text(const std::string& key) const {
    const auto value = find(key);
    return value ? value->text() : "";
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const PlanValue& value : list()) all.push_back(value.text());
    return all;
  }

  int64_t integer(int64_t least, int64_t most) const {
    const bool fits =
        json_.is_number_unsigned()
            ? json_.get<uint64_t>() <= static_cast<uint64_t>(most) && json_.get<int64_t>() >= least
            : json_.is_number_integer() && json_.get<int64_t>() >= least &&
                  json_.get<int64_t>() <= most;
    if (!fits) fail(fmt::format("must be an integer from {} to {}", least, most));
    return json_.get<int64_t>();
  }

  template <class Enum>
  Enum word(const std::vector<Enum>& values) const {
    std::vector<std::string> known;
    for (const Enum value : values) {
      if (text() == to_text(value)) return value;
      known.emplace_back(to_text(value));
    }
    fail(fmt::format("must be one of {}", join(known, ", ")));
  }

 private:
  const nlohmann::ordered_json& json_;
  std::string pointer_;
};

Symbolic read_symbolic(const PlanValue& value);
std::optional<Amount> read_amount(const std::optional<PlanValue>& value);

/// Reads units, buffers, scalars, steps, expected, bytes and flops, which are all that a plugin may
/// give, into `plan`. Throws a usage error that names the place (a JSON Pointer) of what is missing,
/// of the wrong kind or unknown, and of names that do not fit.
void read_plan_body(const nlohmann::ordered_json& json, Plan& plan);
/// The same of an object that has other members, too.
void read_plan_body(const PlanValue& value, Plan& plan);

}  // namespace warpmark
