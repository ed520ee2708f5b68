// The entries of DWARF sections that PTX writes out byte by byte.
#include "ptx/debug_info.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "ptx/debug_sections.hpp"

namespace warpmark::cpu {
namespace {

// DWARF 4, sections 7.5.3 and 7.5.4: only what is looked at.
constexpr std::uint64_t kInlinedSubroutine = 0x1d, kSubprogram = 0x2e;
constexpr std::uint64_t kName = 0x03, kLowPc = 0x11, kHighPc = 0x12, kAbstractOrigin = 0x31;
constexpr std::uint64_t kSpecification = 0x47, kCallFile = 0x58, kCallLine = 0x59;
constexpr std::uint64_t kLinkageName = 0x6e, kMipsLinkageName = 0x2007;
// Limits for hostile texts.
constexpr std::size_t kMostRanges = 1 << 20, kMostLevels = 256, kMostReferences = 8;
constexpr std::size_t kLongestText = 1000;

// Reads bytes from front to back; behind the end there are zeros, and it has failed.
class Reader {
 public:
  explicit Reader(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool failed() const { return at_ > bytes_.size(); }
  [[nodiscard]] bool done() const { return at_ >= bytes_.size(); }
  void skip(std::uint64_t count) {
    at_ = count > bytes_.size() ? bytes_.size() + 1 : std::min(at_ + count, bytes_.size() + 1);
  }
  std::uint64_t number(std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{byte()} << 8 * i;
    return value;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80) == 0) return value;
    }
  }
  std::string_view text() {
    const std::size_t end = failed() ? std::string_view::npos : bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      at_ = bytes_.size() + 1;
      return {};
    }
    const std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }

 private:
  std::uint8_t byte() {
    if (at_ < bytes_.size()) return static_cast<std::uint8_t>(bytes_[at_++]);
    at_ = bytes_.size() + 1;
    return 0;
  }

  std::string_view bytes_;
  std::size_t at_;
};

struct Attribute {
  std::uint64_t name = 0, form = 0;
};
struct Abbreviation {
  std::uint64_t tag = 0;
  bool children = false;
  std::vector<Attribute> attributes;
};
using Abbreviations = std::unordered_map<std::uint64_t, Abbreviation>;

Abbreviations abbreviations_of(std::string_view text) {
  const DebugSection section = section_bytes(text);
  Reader reader(section.bytes);
  Abbreviations all;
  while (!reader.done()) {
    const std::uint64_t code = reader.leb();
    if (code == 0) continue;
    Abbreviation& one = all[code];
    one = {reader.leb(), reader.number(1) != 0, {}};
    while (!reader.done()) {
      const Attribute attribute{reader.leb(), reader.leb()};
      if (attribute.name == 0 && attribute.form == 0) break;
      one.attributes.push_back(attribute);
    }
  }
  return all;
}

// An attribute's value.
struct Value {
  std::uint64_t number = 0;
  std::string_view text;
  std::size_t at = 0;  ///< in the section
};

class Entries {
 public:
  Entries(std::string_view information, std::string_view abbreviations)
      : section_(section_bytes(information)), abbreviations_(abbreviations_of(abbreviations)) {}

  std::vector<InlinedRange> read() {
    Reader reader(section_.bytes);
    while (!reader.done()) {
      unit_ = reader.at();
      const std::uint64_t bytes = reader.number(4);
      const std::size_t begin = reader.at();
      const std::uint64_t version = reader.number(2);
      if (version < 2 || version > 4 || bytes > section_.bytes.size() - begin) break;
      reader.skip(4);
      address_bytes_ = reader.number(1);
      if (address_bytes_ != 8 || !read_unit(reader, begin + bytes)) break;
      reader = Reader(section_.bytes, begin + bytes);
    }
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      ranges_[i].function = function_name(origins_[i]);
    return std::move(ranges_);
  }

 private:
  // False if the section says something that is not known here.
  bool read_unit(Reader& reader, std::size_t end) {
    std::vector<std::size_t> around;  ///< by level, the innermost range
    while (reader.at() < end) {
      const std::size_t at = reader.at();
      const std::uint64_t code = reader.leb();
      if (code == 0) {
        if (!around.empty()) around.pop_back();
        continue;
      }
      const auto found = abbreviations_.find(code);
      if (found == abbreviations_.end()) return false;
      const Abbreviation& kind = found->second;
      std::size_t inside = around.empty() ? InlinedRange::kNone : around.back();
      InlinedRange range;
      std::uint64_t origin = 0;
      if (kind.tag == kSubprogram) subprograms_.emplace(at, code);
      for (const Attribute& attribute : kind.attributes) {
        Value value;
        if (!read_value(reader, attribute.form, value)) return false;
        if (kind.tag != kInlinedSubroutine) continue;
        if (attribute.name == kLowPc) range.begin = label(value.at);
        if (attribute.name == kHighPc) range.end = label(value.at);
        if (attribute.name == kAbstractOrigin) origin = value.number;
        if (attribute.name == kCallFile) range.file = static_cast<std::uint32_t>(value.number);
        if (attribute.name == kCallLine) range.line = static_cast<std::uint32_t>(value.number);
      }
      if (reader.failed() || ranges_.size() >= kMostRanges || around.size() >= kMostLevels)
        return false;
      if (!range.begin.empty() && !range.end.empty()) {
        range.parent = inside;
        inside = ranges_.size();
        ranges_.push_back(std::move(range));
        origins_.push_back(origin);
      }
      if (kind.children) around.push_back(inside);
    }
    return true;
  }

  bool read_value(Reader& reader, std::uint64_t form, Value& value) const {
    value.at = reader.at();
    switch (form) {
      case 0x01:  // addr
      case 0x07:  // data8
        value.number = reader.number(8);
        return true;
      case 0x03:  // block2
        reader.skip(reader.number(2));
        return true;
      case 0x04:  // block4
        reader.skip(reader.number(4));
        return true;
      case 0x05:  // data2
        value.number = reader.number(2);
        return true;
      case 0x06:  // data4
      case 0x0e:  // strp
      case 0x10:  // ref_addr
      case 0x17:  // sec_offset
        value.number = reader.number(4);
        return true;
      case 0x08:  // string
        value.text = reader.text();
        return true;
      case 0x09:  // block
      case 0x18:  // exprloc
        reader.skip(reader.leb());
        return true;
      case 0x0a:  // block1
        reader.skip(reader.number(1));
        return true;
      case 0x0b:  // data1
      case 0x0c:  // flag
        value.number = reader.number(1);
        return true;
      case 0x0d:  // sdata
      case 0x0f:  // udata
        value.number = reader.leb();
        return true;
      case 0x11:  // ref1
      case 0x12:  // ref2
      case 0x13:  // ref4
      case 0x14:  // ref8
        value.number = unit_ + reader.number(1u << (form - 0x11));
        return true;
      case 0x19:  // flag_present
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] std::string_view label(std::size_t at) const {
    const auto found = section_.references.find(at);
    return found == section_.references.end() ? std::string_view() : found->second.label;
  }

  // The name of a function's entry, or of the entry that it refers to.
  [[nodiscard]] std::string function_name(std::uint64_t at) const {
    for (std::size_t depth = 0; depth < kMostReferences; ++depth) {
      const auto entry = subprograms_.find(at);
      if (entry == subprograms_.end()) return "";
      Reader reader(section_.bytes, entry->first);
      reader.leb();
      std::string_view name, linkage_name;
      std::uint64_t further = 0;
      for (const Attribute& attribute : abbreviations_.at(entry->second).attributes) {
        Value value;
        if (!read_value(reader, attribute.form, value)) return "";
        if (attribute.name == kName) name = value.text;
        if (attribute.name == kLinkageName || attribute.name == kMipsLinkageName)
          linkage_name = value.text;
        if (attribute.name == kSpecification || attribute.name == kAbstractOrigin)
          further = value.number;
      }
      if (!linkage_name.empty() || !name.empty())
        return std::string(linkage_name.empty() ? name : linkage_name);
      at = further;
    }
    return "";
  }

  DebugSection section_;
  Abbreviations abbreviations_;
  std::size_t unit_ = 0;  ///< where the unit that is read begins
  std::uint64_t address_bytes_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> subprograms_;  ///< abbreviations, by place
  std::vector<InlinedRange> ranges_;
  std::vector<std::uint64_t> origins_;  ///< of each range: the function's entry
};

}  // namespace

std::vector<InlinedRange> inlined_ranges(std::string_view information,
                                         std::string_view abbreviations) {
  return Entries(information, abbreviations).read();
}

std::string text_behind(std::string_view section, std::string_view label) {
  std::size_t at = section.find(label);
  while (at != std::string_view::npos && !section.substr(at + label.size()).starts_with(':'))
    at = section.find(label, at + 1);
  if (at == std::string_view::npos || label.empty()) return "";
  const std::string bytes =
      section_bytes(section.substr(at + label.size() + 1), kLongestText).bytes;
  return bytes.substr(0, bytes.find('\0'));
}

}  // namespace warpmark::cpu
