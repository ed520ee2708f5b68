#include "cli/request/option_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

template <typename Number>
bool parse_whole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, number);
  return code == std::errc{} && stopped == end;
}

// "a whole number from 0 to 1024"
std::string wanted_of(const OptionRule& rule) {
  std::string wanted = fmt::format("a whole number from {}", rule.least);
  if (rule.most == UINT64_MAX) return wanted + " to 2**64 - 1";
  if (rule.most) wanted += fmt::format(" to {}", *rule.most);
  return wanted;
}

}  // namespace

std::filesystem::path OptionValue::path_of(const Located& word) const {
  if (word.text.empty()) throw usage_error(what + " is empty", word.where);
  return folder.empty() ? std::filesystem::path(word.text)
                        : (folder / word.text).lexically_normal();
}

Error OptionValue::wrong(const Located& word, const std::string& wanted) const {
  return usage_error(fmt::format("{} must be {}, and is `{}`", what, wanted, printable(word.text)),
                     word.where);
}

OptionRule OptionRule::normally(const char* value) const {
  OptionRule rule = *this;
  rule.standard = value;
  return rule;
}

void OptionRule::read(OptionValue& value) const {
  const Located& word = value.words.front();
  value.text = word.text;
  switch (kind) {
    case Kind::path:
      value.path = value.path_of(word);
      break;
    case Kind::whole:
      if (!parse_whole(word.text, value.whole) || value.whole < least ||
          value.whole > most.value_or(UINT64_MAX))
        throw value.wrong(word, wanted_of(*this));
      break;
    case Kind::real:
      if (!parse_whole(word.text, value.real) || !std::isfinite(value.real) || value.real <= 0 ||
          (most && value.real > static_cast<double>(*most)))
        throw value.wrong(word, wanted);
      break;
    case Kind::words:
      if (std::ranges::find(words, word.text) == words.end())
        throw value.wrong(word, listed(words, "or"));
      break;
    default:
      break;
  }
}

Json OptionRule::word_schema(bool of_bench) const {
  Json rule = {{"type", "string"}};
  switch (kind) {
    case Kind::text:
      if (*schema != '\0') return rule["pattern"] = schema, rule;
      [[fallthrough]];
    case Kind::path:
      rule["minLength"] = 1;
      return rule;
    case Kind::whole:
      rule = {{"type", "integer"}, {"minimum", least}};
      break;
    case Kind::real:
      rule = {{"type", "number"}, {"exclusiveMinimum", 0}};
      break;
    case Kind::share:
      return {{"type", "number"}, {"minimum", 0}};
    case Kind::json:
      return parse_json(schema);
    case Kind::words: {
      Json known = Json::array();
      const auto add = [&](const std::string& word) {
        // YAML reads these as truth.
        word == "true" || word == "false" ? known.push_back(word == "true") : known.push_back(word);
      };
      std::ranges::for_each(words, add);
      if (of_bench) std::ranges::for_each(more_words, add);
      return {{"enum", std::move(known)}};
    }
  }
  if (most) rule["maximum"] = *most;
  return rule;
}

OptionRule whole_number(uint64_t least, std::optional<uint64_t> most) {
  return {.kind = OptionRule::Kind::whole, .least = least, .most = most};
}

OptionRule positive_number(const char* wanted, std::optional<uint64_t> most) {
  return {.kind = OptionRule::Kind::real, .most = most, .wanted = wanted};
}

OptionRule one_of(std::vector<std::string> words) {
  return {.kind = OptionRule::Kind::words, .words = std::move(words)};
}

std::string listed(std::vector<std::string> words, const std::string& last) {
  const std::string word = words.back();
  words.pop_back();
  return join(words, ", ") + " " + last + " " + word;
}

}  // namespace warpmark
