#include "mutate/mutable_text.hpp"

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "results/counted_lines.hpp"

namespace warpmark {

namespace {

bool is_cuda(const Unit& unit) {
  return unit.image.empty() && (unit.compiler.empty() || unit.compiler == "nvcc");
}

bool is_code(const std::string& pointer) {
  for (const char* end : {"/operation", "/map", "/reduce", "/preamble", "/combine", "/neutral"}) {
    if (pointer.ends_with(end)) return true;
  }
  return false;
}

std::map<int, Position> written_lines(const Unit& unit, const PlannedCase& planned) {
  std::map<int, Position> lines;
  const auto count = static_cast<int64_t>(std::ranges::count(unit.source, '\n')) + 1;
  for (size_t i = 0; i < unit.regions.size(); ++i) {
    const Region& region = unit.regions[i];
    if (!is_code(region.at)) continue;
    const int64_t end = i + 1 < unit.regions.size() ? unit.regions[i + 1].line : count + 1;
    Position where = planned.positions.find_text(region.at);
    for (int64_t line = region.line; line < end; ++line, ++where.line)
      lines.emplace(static_cast<int>(line), where);
  }
  return lines;
}

void add_once(std::vector<MutableText>& texts, MutableText text) {
  const bool known = std::ranges::any_of(texts, [&](const MutableText& other) {
    return other.kind == text.kind && other.name == text.name && other.text == text.text;
  });
  if (!known) texts.push_back(std::move(text));
}

const Coverage::File* file_of(const MutableText& text, const Coverage& coverage) {
  const auto found = coverage.files.find(text.path);
  return found == coverage.files.end() ? nullptr : &found->second;
}

}  // namespace

Position MutableText::place_of(const Mutant& mutant) const {
  if (kind == Kind::generated) {
    const auto found = written.find(mutant.line);
    return found == written.end() ? Position{path} : found->second;
  }
  Position where{path, mutant.line + first_line - 1, mutant.column};
  if (kind != Kind::inside) return where;
  // The text of a suite is indented there.
  try {
    const std::vector<std::string> lines = split(read_file(path), '\n');
    const std::vector<std::string> own = split(text, '\n');
    const std::string& line = own.at(static_cast<size_t>(mutant.line) - 1);
    const size_t indent = lines.at(static_cast<size_t>(where.line) - 1).find(line);
    where.column = indent == std::string::npos ? 0 : where.column + static_cast<int>(indent);
  } catch (const std::exception&) {
    where.column = 0;
  }
  return where;
}

std::vector<MutableText> mutable_texts(const PlannedCase& planned, const Suite& suite) {
  std::vector<MutableText> texts;
  const std::string suite_path = display_path(suite.file);
  Plan readable = planned.plan;
  std::erase_if(readable.units, [](const Unit& unit) { return !is_cuda(unit); });
  for (const Unit& unit : readable.units) {
    using enum MutableText::Kind;
    if (!unit.file.empty()) {
      const auto path = suite.folder / unit.file;
      add_once(texts, {file, unit.file, display_path(path),
                       unit.source.empty() ? read_file(path) : unit.source});
    } else if (unit.regions.empty() && unit.at.ends_with("/source")) {
      MutableText text{inside, "", suite_path, unit.source};
      text.first_line = std::max(1, planned.positions.find(unit.at).line);
      add_once(texts, std::move(text));
    } else if (!unit.regions.empty()) {
      MutableText text{generated, "", suite_path, unit.source};
      text.written = written_lines(unit, planned);
      if (!text.written.empty()) add_once(texts, std::move(text));
    }
  }
  for (const SourceText& header : header_texts(readable, suite.folder)) {
    // A header comes under each of its names; the first one is its path.
    const bool known = std::ranges::any_of(
        texts, [&](const MutableText& other) { return other.path == display_path(header.file); });
    if (known) continue;
    texts.push_back(
        {MutableText::Kind::header, header.name, display_path(header.file), header.text});
  }
  return texts;
}

std::vector<Mutant> mutants_of(const MutableText& text, const Coverage& coverage) {
  const Code code(text.text);
  std::vector<Mutant> mutants = mutants_of(code);
  if (text.kind == MutableText::Kind::generated) {
    std::erase_if(mutants, [&](const Mutant& one) { return !text.written.contains(one.line); });
    return mutants;
  }
  // Functions without lines are code for the CPU, or nobody calls them.
  const Coverage::File* file = file_of(text, coverage);
  std::erase_if(mutants, [&](const Mutant& one) {
    const auto& bodies = code.bodies();
    const auto body = std::ranges::find_if(bodies, [&](const Code::Body& other) {
      return other.first_line <= one.line && one.line <= other.last_line;
    });
    if (body == bodies.end()) return false;
    if (file == nullptr) return true;
    const auto line = file->lines.lower_bound(body->first_line + text.first_line - 1);
    return line == file->lines.end() || line->first > body->last_line + text.first_line - 1;
  });
  return mutants;
}

Reach reach_of(const MutableText& text, const Mutant& mutant, const Coverage& coverage) {
  const Coverage::File* file = file_of(text, coverage);
  if (file == nullptr || text.kind == MutableText::Kind::generated) return Reach::unknown;
  Reach reach = Reach::unknown;
  for (int line = mutant.line; line <= mutant.last_line; ++line) {
    const auto found = file->lines.find(line + text.first_line - 1);
    if (found == file->lines.end()) continue;
    if (found->second.count > 0) return Reach::executed;
    reach = Reach::never;
  }
  return reach;
}

bool has_text(const PlannedCase& planned, const MutableText& text) {
  if (text.kind == MutableText::Kind::header) return true;
  return std::ranges::any_of(planned.plan.units, [&](const Unit& unit) {
    return text.kind == MutableText::Kind::file ? unit.file == text.name
                                                : unit.file.empty() && unit.source == text.text;
  });
}

PlannedCase with_text(PlannedCase planned, const MutableText& text, const std::string& changed) {
  for (Unit& unit : planned.plan.units) {
    if (!is_cuda(unit)) continue;
    if (text.kind == MutableText::Kind::header) {
      unit.headers.push_back({text.name, text.name, changed});
    } else if (text.kind == MutableText::Kind::file
                   ? unit.file == text.name
                   : unit.file.empty() && unit.source == text.text) {
      unit.source = changed;
    }
  }
  if (planned.smaller != nullptr) {
    planned.smaller =
        std::make_shared<const PlannedCase>(with_text(*planned.smaller, text, changed));
  }
  return planned;
}

}  // namespace warpmark
