#include "base/record_dtype.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/characters.hpp"

namespace warpmark {

namespace {

uint32_t rounded_up(uint64_t offset, uint32_t alignment) {
  return static_cast<uint32_t>((offset + alignment - 1) / alignment * alignment);
}

// Reads "{x:float32,y:int32[3]@16}"; a mistake leaves nothing.
class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}

  std::optional<DType> read() {
    auto record = record_at();
    if (at_ != text_.size()) return std::nullopt;
    return record;
  }

 private:
  // Limits: a record that nests deeper, or has more bytes, is not a struct of a kernel.
  static constexpr int kDeepest = 8;
  static constexpr uint64_t kMostBytes = 1 << 20;

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    const size_t begin = at_;
    const auto in_word = [](char c) { return is_word_character(c); };
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::optional<int64_t> number() {
    const std::string_view digits = word();
    int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = code == std::errc{} && end == digits.data() + digits.size();
    if (!whole || value < 1 || value > static_cast<int64_t>(kMostBytes)) return std::nullopt;
    return value;
  }

  std::optional<DType> type() {
    if (at_ < text_.size() && text_[at_] == '{') return record_at();
    return find_dtype(word());
  }

  bool field(std::vector<Field>& fields, uint64_t& end, uint32_t& alignment) {
    Field field;
    field.name = word();
    if (field.name.empty() || !take(':')) return false;
    const std::optional<DType> dtype = type();
    if (!dtype) return false;
    field.dtype = *dtype;
    uint64_t bytes = dtype->bytes;
    while (take('[')) {
      const auto extent = number();
      if (!extent || !take(']')) return false;
      field.shape.push_back(*extent);
      bytes *= static_cast<uint64_t>(*extent);
      if (bytes > kMostBytes) return false;
    }
    uint32_t own = alignment_of(field.dtype);
    if (take('@')) {
      const auto wanted = number();
      if (!wanted || *wanted > 256 || (*wanted & (*wanted - 1)) != 0) return false;
      own = std::max(own, static_cast<uint32_t>(*wanted));
    }
    alignment = std::max(alignment, own);
    field.offset = rounded_up(end, own);
    end = field.offset + bytes;
    fields.push_back(std::move(field));
    return end <= kMostBytes;
  }

  std::optional<DType> record_at() {
    const size_t begin = at_;
    if (!take('{') || ++depth_ > kDeepest) return std::nullopt;
    std::vector<Field> fields;
    uint64_t end = 0;
    uint32_t alignment = 1;
    do {
      if (!field(fields, end, alignment)) return std::nullopt;
    } while (take(','));
    if (!take('}')) return std::nullopt;
    --depth_;
    return interned(text_.substr(begin, at_ - begin), std::move(fields), rounded_up(end, alignment),
                    alignment);
  }

  // Names and fields of structs are kept for ever: suites have few structs.
  static DType interned(std::string_view name, std::vector<Field> fields, uint32_t bytes,
                        uint32_t alignment) {
    struct Known {
      std::string name;
      std::vector<Field> fields;
    };
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Known>, std::less<>> all;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Known>& known = all[std::string(name)];
    if (!known) known = std::make_unique<Known>(Known{std::string(name), std::move(fields)});
    return {known->name, DTypeKind::record, bytes, "", &known->fields, alignment};
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<DType> read_record(std::string_view name) {
  return RecordReader(name).read();
}

}  // namespace warpmark
