// Tables of the keys that files of people may have: readers refuse others, and schemas are made.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

class KeyTable;
using KeyTableOf = std::function<const KeyTable&()>;

/// The form of a key's value, as its schema says it.
class KeyForm {
 public:
  KeyForm(std::string schema = "") : schema_(std::move(schema)) {}
  KeyForm(const char* schema) : schema_(schema) {}
  /// A definition of the schema, or "#/properties/NAME" for the form of another key.
  static KeyForm of(std::string_view definition);
  /// A text that is not empty.
  static KeyForm text() { return R"({"type": "string", "minLength": 1})"; }
  static KeyForm like(const std::string& pattern);
  static KeyForm truth() { return R"({"type": "boolean"})"; }
  static KeyForm version() { return KeyForm(R"({"enum": [1, "1"]})").needed(); }
  static KeyForm words(std::vector<std::string> all);
  template <Worded T>
  static KeyForm words_of() {
    std::vector<std::string> all;
    for (const T value : each_value<T>()) all.emplace_back(to_text(value));
    return words(std::move(all));
  }
  static KeyForm whole(double least, double most) { return number(Number::whole, least, most); }
  static KeyForm from(double least, double most) { return number(Number::from, least, most); }
  static KeyForm above(double least, double most) { return number(Number::above, least, most); }
  /// A map with the keys of a table.
  static KeyForm keys(KeyTableOf table);
  static KeyForm any_of(std::vector<KeyForm> forms);
  /// A list of so many; 0 as the most are any number.
  static KeyForm list_of(KeyForm form, size_t least = 1, size_t most = 0);
  static KeyForm one_or_more(const KeyForm& form) { return any_of({form, list_of(form)}); }
  /// A map of so many names to such values.
  static KeyForm by_name(const KeyForm& form, size_t least = 0, size_t most = 0);

  KeyForm& needed() { return is_needed_ = true, *this; }
  /// The elements of a list differ.
  KeyForm& unique() { return is_unique_ = true, *this; }
  /// The names of a map match a regular expression.
  KeyForm& named(const char* pattern) { return names_ = pattern, *this; }
  /// `value` is what it is without the key, as JSON.
  KeyForm& normally(const char* value) { return standard_ = value, *this; }

  bool is_needed() const { return is_needed_; }
  bool is_list() const { return shape_ == Shape::list; }
  bool is_of(std::string_view definition) const { return schema_ == of(definition).schema_; }
  const std::vector<std::string>& words() const { return words_; }
  /// The number of a node. Throws a usage error for one that breaks the bounds.
  double read_number(const YamlNode& node, const std::string& what) const;
  nlohmann::ordered_json schema(const char* says) const;

 private:
  enum class Shape : uint8_t { one, list, by_name };
  enum class Number : uint8_t { whole, from, above };
  static KeyForm number(Number kind, double least, double most);
  nlohmann::ordered_json value_schema() const;

  // One of these is the form of a value; else it is a number.
  std::string schema_;
  std::vector<std::string> words_;
  KeyTableOf table_;
  std::vector<KeyForm> forms_;
  Number number_ = Number::whole;
  double least_ = 0, most_ = 0;

  Shape shape_ = Shape::one;
  size_t least_count_ = 0, most_count_ = 0;
  bool is_unique_ = false, is_needed_ = false;
  const char* names_ = "^[A-Za-z_][A-Za-z0-9_]*$";
  const char* standard_ = "";
};

struct Key {
  const char* name;
  const char* says;  ///< a sentence for its reader; "" where the form says it
  KeyForm form;
};

/// The keys of a map, a line each.
class KeyTable {
 public:
  KeyTable(std::vector<Key> keys) : keys_(std::move(keys)) {}
  /// A sentence about the map, for keys that say none.
  KeyTable& about(const char* text) { return about_ = text, *this; }
  /// The hint of the error about a needed key that is missing.
  KeyTable& hint(const char* text) { return hint_ = text, *this; }
  /// Further members of the schema, as JSON.
  KeyTable& rules(const std::string& json) { return rules_.push_back(json), *this; }
  /// Pairs of keys that exclude each other: "ulp rtol".
  KeyTable& never_both(const std::vector<std::string>& pairs);
  KeyTable& one_of(const std::vector<std::string>& keys);
  KeyTable& some_of(const std::vector<std::string>& keys);
  /// The same with the keys of another table behind.
  KeyTable with(const KeyTable& more) const;

  const std::vector<Key>& keys() const { return keys_; }
  const char* hint() const { return hint_; }
  std::vector<std::string> names() const;
  const KeyForm& form(std::string_view key) const;
  nlohmann::ordered_json schema() const;

 private:
  std::vector<Key> keys_;
  const char *about_ = "", *hint_ = "";
  std::vector<std::string> rules_;
};

/// A map of a file, read by its table.
class KeyedMap {
 public:
  /// Throws unless the node is a map that has all keys which the table needs and no others; `what`
  /// names it ("`launch`").
  KeyedMap(const YamlNode& node, const std::string& what, const KeyTable& table);

  const Position& where() const { return node_.where; }
  const YamlNode* find(std::string_view key) const { return node_.find(key); }
  /// The value of a needed key.
  const YamlNode& at(std::string_view key) const { return *node_.find(key); }
  std::optional<Located> text(const std::string& key) const;
  std::optional<Expression> expression(const std::string& key) const;
  std::vector<Expression> expressions(const std::string& key) const;
  std::optional<bool> truth(const std::string& key) const;
  std::optional<std::string> word(const std::string& key) const;
  template <Worded T>
  std::optional<T> word(const std::string& key) const {
    const YamlNode* node = find(key);
    return node != nullptr ? std::optional(read_word<T>(*node, "`" + key + "`")) : std::nullopt;
  }
  /// The number of a needed key.
  double number(const std::string& key) const {
    return table_.form(key).read_number(at(key), "`" + key + "`");
  }
  /// Puts the number that is there into the value.
  template <typename T>
  void read_number(const std::string& key, T& into) const {
    if (find(key) != nullptr) into = static_cast<T>(number(key));
  }

 private:
  const YamlNode& node_;
  const KeyTable& table_;
};

}  // namespace warpmark
