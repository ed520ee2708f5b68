#include "mutate/code_mutants.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"

namespace warpmark {

namespace {

size_t line_begin(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t line_end(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// A comment at the end of a line is none of the change.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
  }
  return std::string(trim(line));
}

}  // namespace

bool changes_order(MutantKind kind) {
  return kind == MutantKind::barrier || kind == MutantKind::order || kind == MutantKind::atomic;
}

std::string Mutant::apply(std::string_view text) const {
  std::string changed(text.substr(0, begin));
  changed += with;
  changed += text.substr(end);
  return changed;
}

std::vector<Mutant> mutants_of(std::string_view text) {
  return mutants_of(Code(text));
}

std::vector<Mutant> mutants_of(const Code& code) {
  std::vector<Mutant> mutants;
  const std::string_view text = code.text();
  const auto add = [&](size_t first, size_t last, std::string with, MutantKind kind) {
    Mutant mutant;
    const CodeWord& from = code.words().at(first);
    mutant.begin = from.begin;
    mutant.end = code.words().at(last).end;
    if (text.substr(mutant.begin, mutant.end - mutant.begin) == with) return;
    mutant.with = std::move(with);
    mutant.kind = kind;
    mutant.line = from.line;
    mutant.last_line = code.words().at(last).line;
    mutant.column = static_cast<int>(from.begin - line_begin(text, from.begin)) + 1;
    mutants.push_back(std::move(mutant));
  };
  std::set<size_t> seen;  // a body may be listed twice: in both branches of an #if
  const auto look = [&](size_t at, bool in_body) {
    if (!seen.insert(at).second) return;
    operator_changes(code, at, add);
    number_changes(code, at, add);
    index_changes(code, at, add);
    call_changes(code, at, add);
    if (in_body) statement_changes(code, at, add);
  };
  for (const Code::Body& body : code.bodies()) {
    for (size_t at = body.first; at < body.last; ++at) {
      if (!code.words()[at].directive) look(at, true);
    }
  }
  for (const auto& [first, behind] : code.outside()) {
    for (size_t at = first; at < behind; ++at) look(at, false);
  }
  const auto key = [](const Mutant& one) { return std::tie(one.begin, one.end, one.with); };
  std::ranges::stable_sort(mutants, {}, key);
  // The ranges of GCC 12's library do not erase with Clang 14.
  const auto same = [&key](const Mutant& a, const Mutant& b) { return key(a) == key(b); };
  mutants.erase(std::unique(mutants.begin(), mutants.end(), same), mutants.end());
  return mutants;
}

LineDiff diff_of(std::string_view text, const Mutant& mutant) {
  const size_t from = line_begin(text, mutant.begin), to = line_end(text, mutant.end);
  LineDiff diff;
  diff.before = in_one_line(text.substr(from, to - from));
  std::string changed(text.substr(from, mutant.begin - from));
  changed += mutant.with;
  changed += text.substr(mutant.end, to - mutant.end);
  diff.after = in_one_line(changed);
  return diff;
}

}  // namespace warpmark
