#include "program/debug_image.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "ptx/debug_sections.hpp"

namespace warpmark::cpu {
namespace {

// The labels of code that stand before `end`, and their lines, from 1.
std::unordered_map<std::string_view, std::uint32_t> code_labels(std::string_view text,
                                                                std::size_t end) {
  std::unordered_map<std::string_view, std::uint32_t> labels;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < end; ++number) {
    std::size_t stop = text.find('\n', at);
    if (stop == std::string_view::npos) stop = text.size();
    const std::string_view line = text.substr(at, stop - at);
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t colon = line.find(':');
    if (first != std::string_view::npos && colon != std::string_view::npos &&
        line.find_first_of(" \t,;", first) > colon)
      labels[line.substr(first, colon - first)] = number;
    at = stop + 1;
  }
  return labels;
}

class Addresses {
 public:
  Addresses(const Program& program, const std::function<std::uint64_t(std::string_view)>& variable)
      : program_(program), variable_(variable) {
    for (const Function& function : program.module->functions) {
      if (function.has_body) functions_.push_back(&function);
    }
    std::ranges::sort(functions_,
                      [](const Function* a, const Function* b) { return a->line < b->line; });
  }

  /// The statement that a line of the text is before, or is behind the last one of its function.
  [[nodiscard]] std::uint64_t code(std::uint32_t line) const {
    const auto after = std::partition_point(functions_.begin(), functions_.end(),
                                            [&](const Function* one) { return one->line <= line; });
    if (after == functions_.begin()) return DebugImage::kNowhere;
    const Function* function = *(after - 1);
    const auto source = std::ranges::find(program_.sources, function, &Program::Source::function);
    if (source == program_.sources.end()) return DebugImage::kNowhere;
    const std::vector<Statement>& all = function->statements;
    const auto statement = std::partition_point(
        all.begin(), all.end(), [&](const Statement& one) { return one.line < line; });
    return source->first + static_cast<std::uint64_t>(statement - all.begin());
  }

  [[nodiscard]] std::uint64_t variable(std::string_view name) const {
    for (const Program::Source& source : program_.sources) {
      if (source.places == nullptr) continue;
      const auto found = source.places->variables.find(name);
      if (found != source.places->variables.end()) return found->second.offset;
    }
    return variable_ ? variable_(name) : 0;
  }

 private:
  const Program& program_;
  const std::function<std::uint64_t(std::string_view)>& variable_;
  std::vector<const Function*> functions_;  ///< in the order of the text
};

}  // namespace

DebugImage debug_image(const Program& program,
                       const std::function<std::uint64_t(std::string_view)>& variable) {
  DebugImage image;
  if (program.module == nullptr || program.module->text == nullptr) return image;
  const std::string_view text = *program.module->text;
  std::vector<DebugSection> sections;
  std::unordered_map<std::string_view, std::size_t> places;  // of labels in sections
  for (DebugSection& section : debug_sections(text)) {
    const bool known = std::ranges::any_of(
        sections, [&](const DebugSection& one) { return one.name == section.name; });
    if (known) break;  // another text's
    places.insert(section.labels.begin(), section.labels.end());
    sections.push_back(std::move(section));
  }
  if (sections.empty()) return image;
  const auto labels = code_labels(text, sections.front().begin);
  const Addresses addresses(program, variable);
  for (DebugSection& section : sections) {
    for (const auto& [at, reference] : section.references) {
      std::uint64_t value = 0;
      const auto label = labels.find(reference.label);
      const auto place = places.find(reference.label);
      if (label != labels.end())
        value = addresses.code(label->second);
      else if (place != places.end())
        value = place->second;
      else if (!reference.label.starts_with(".debug_"))
        value = addresses.variable(reference.label);
      value += reference.addend;
      for (std::size_t i = 0; i < reference.bytes && at + i < section.bytes.size(); ++i)
        section.bytes[at + i] = static_cast<char>(value >> 8 * i & 0xff);
    }
    image.sections.push_back({std::string(section.name), std::move(section.bytes)});
  }
  return image;
}

}  // namespace warpmark::cpu
