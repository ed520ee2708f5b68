// Reads the keys that say how a case must end: tolerance, expect and limits.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// `exact`, `from_float64`, or a map of bounds; `keys` are those that the map may have.
SuiteTolerance read_one_tolerance(const YamlNode& node, const std::string& what,
                                  const std::vector<std::string>& keys) {
  SuiteTolerance tolerance;
  tolerance.where = node.where;
  if (node.kind == YamlNode::Kind::scalar) {
    if (read_word(node, what, {"exact", "from_float64"}) == "from_float64")
      tolerance.kind = ToleranceKind::from_float64;
    return tolerance;
  }
  require_map(node, what, keys);
  const auto bound = [&](std::string_view key) -> std::optional<Located> {
    const YamlNode* value = node.find(key);
    if (value == nullptr) return std::nullopt;
    return read_text(*value, fmt::format("`{}`", key));
  };
  tolerance.ulp = bound("ulp");
  tolerance.rtol = bound("rtol");
  tolerance.atol = bound("atol");
  tolerance.times = bound("from_float64");
  if (tolerance.times && (tolerance.ulp || tolerance.rtol || tolerance.atol)) {
    throw usage_error(what + " has a bound beside from_float64, which gives them all", node.where);
  }
  if (tolerance.ulp && tolerance.rtol) {
    throw usage_error(what + " is either ulp or rtol, not both", node.where,
                      "both are relative; `atol` may be beside either");
  }
  if (tolerance.rtol || tolerance.atol) tolerance.kind = ToleranceKind::close;
  if (tolerance.ulp) tolerance.kind = ToleranceKind::ulp;
  if (tolerance.times) tolerance.kind = ToleranceKind::from_float64;
  if (const YamlNode* nan = node.find("nan")) {
    const std::string word = read_word(*nan, "`nan`", {"equal", "forbid"});
    tolerance.nan = word == "equal" ? NanPolicy::equal : NanPolicy::forbid;
  }
  return tolerance;
}

std::optional<Located> read_argument(const YamlNode& node) {
  const YamlNode* argument = node.find("argument");
  if (argument == nullptr) return std::nullopt;
  return read_text(*argument, "`argument`");
}

ExpectedFault read_fault(const YamlNode& node) {
  require_map(node, "`expect`", {"fault", "argument"});
  const YamlNode& kind = *node.find("fault");
  return {{read_word(kind, "`fault`", fault_kinds()), kind.content}, read_argument(node)};
}

// One kind, or a list of kinds.
ExpectedReports read_reports(const YamlNode& node) {
  require_map(node, "`expect`", {"report", "argument"});
  const YamlNode& report = *node.find("report");
  ExpectedReports expected;
  const auto add = [&](const YamlNode& kind) {
    std::string word = read_word(kind, "`report`", report_kinds());
    if (std::ranges::any_of(expected.kinds, [&](const Located& one) { return one.text == word; })) {
      throw usage_error(fmt::format("`{}` is there a second time", word), kind.where);
    }
    expected.kinds.push_back({std::move(word), kind.content});
  };
  if (report.kind == YamlNode::Kind::list) {
    require_list(report, "`report`");
    for (const YamlNode& kind : report.elements) add(kind);
  } else {
    add(report);
  }
  expected.argument = read_argument(node);
  return expected;
}

bool has_words(const std::string& name, const std::vector<std::string>& words) {
  auto next = words.begin();
  for (const std::string& word : split(name, '_')) {
    if (next != words.end() && word == *next) ++next;
  }
  return next == words.end();
}

// Names of counters are long: who writes `flops` or `load_sectors` means those that have such
// words, and who has no counter's words perhaps the last one.
Error unknown_counter(const YamlMember& member) {
  const std::vector<std::string>& known = counter_names();
  Error misspelt = unknown_word("counter", member.key, member.where, known);
  const bool is_end = std::ranges::any_of(
      known, [&](const std::string& name) { return name.ends_with("_" + member.key); });
  if (!is_end && !nearest(member.key, known).empty()) return misspelt;
  const std::vector<std::string> words = split(member.key, '_');
  const std::vector<std::string> last = {words.back()};
  const std::function<bool(const std::string&)> meanings[] = {
      [&](const std::string& name) { return name.ends_with("_" + member.key); },
      [&](const std::string& name) { return has_words(name, words); },
      [&](const std::string& name) { return has_words(name, last); }};
  for (const auto& is_meant : meanings) {
    std::vector<std::string> like;
    for (const std::string& name : known) {
      const bool ideal = has_words(name, {"ideal"});  // who means that says so
      if (is_meant(name) && (!ideal || has_words(member.key, {"ideal"})))
        like.push_back("`" + name + "`");
    }
    if (like.empty()) continue;
    return usage_error(
        fmt::format("unknown counter `{}`", member.key), member.where,
        fmt::format("did you mean {}{}?", like.size() > 1 ? "one of " : "", join(like, ", ")));
  }
  return misspelt;
}

// A bound as it stands: a comparison and arithmetic, "<= 2 * n"; arithmetic alone is "==".
ExpectedCounter read_bound(const YamlMember& member, const YamlNode& node) {
  Located text = read_text(node, "`" + member.key + "`");
  std::string comparison = "==";
  for (const char* one : {"<=", ">=", "==", "!=", "<", ">"}) {
    if (!text.text.starts_with(one)) continue;
    comparison = one;
    const size_t behind = text.text.find_first_not_of(' ', comparison.size());
    if (behind == std::string::npos) {
      throw usage_error(fmt::format("`{}` needs a bound behind {}", member.key, comparison),
                        text.where);
    }
    text.text.erase(0, behind);
    text.where.column += static_cast<int>(behind);
    break;
  }
  return {member.key, member.where, comparison, Expression::parse(text.text, text.where)};
}

void read_counters(const YamlNode& node, Suite& suite) {
  require_named_map(node, "`counters`");
  if (node.members.empty()) throw usage_error("`counters` is empty", node.where);
  const std::vector<std::string>& known = counter_names();
  for (const YamlMember& member : node.members) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      throw unknown_counter(member);
    }
    if (member.value.kind != YamlNode::Kind::list) {
      suite.counters.push_back(read_bound(member, member.value));
      continue;
    }
    require_list(member.value, "`" + member.key + "`");
    for (const YamlNode& bound : member.value.elements) {
      suite.counters.push_back(read_bound(member, bound));
    }
  }
}

}  // namespace

void read_tolerance(const YamlNode& node, Suite& suite) {
  suite.tolerance = read_one_tolerance(node, "`tolerance`",
                                       {"ulp", "rtol", "atol", "from_float64", "nan", "outputs"});
  const YamlNode* outputs = node.find("outputs");
  if (outputs == nullptr) return;
  require_named_map(*outputs, "`outputs`");
  for (const YamlMember& member : outputs->members) {
    suite.output_tolerances.push_back(
        {member.key, member.where,
         read_one_tolerance(member.value, "`" + member.key + "`",
                            {"ulp", "rtol", "atol", "from_float64", "nan"})});
  }
}

void read_expect(const YamlNode& node, Suite& suite) {
  if (node.kind == YamlNode::Kind::scalar) {
    const std::string word = read_word(node, "`expect`", {"pass", "compile_error"});
    if (word == "compile_error") suite.compile_error = ExpectedCompileError{node.where, {}};
    return;
  }
  std::vector<std::string> of_counters = composite_names();
  of_counters.emplace_back("counters");
  std::vector<std::string> known = {"fault", "report", "compile_error", "argument"};
  known.insert(known.end(), of_counters.begin(), of_counters.end());
  require_named_map(node, "`expect`");
  for (const YamlMember& member : node.members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    if (!nearest(member.key, known).empty()) break;
    throw usage_error(
        fmt::format("unknown key of `expect` `{}`", member.key), member.where,
        "the values of outputs are in `reference`; keys of `expect`: " + join(known, ", "));
  }
  require_map(node, "`expect`", known);
  const bool counts = std::any_of(of_counters.begin(), of_counters.end(),
                                  [&](const auto& key) { return node.find(key) != nullptr; });
  if (counts) {
    require_map(node, "`expect`", of_counters);
    if (const YamlNode* counters = node.find("counters")) read_counters(*counters, suite);
    read_composites(node, suite);
    return;
  }
  if (node.find("fault") != nullptr) {
    suite.fault = read_fault(node);
  } else if (node.find("report") != nullptr) {
    suite.report = read_reports(node);
  } else if (const YamlNode* text = node.find("compile_error")) {
    require_map(node, "`expect`", {"compile_error"});
    suite.compile_error = ExpectedCompileError{node.where, read_text(*text, "`compile_error`")};
  } else {
    throw usage_error(
        "`expect` needs one of fault, report, compile_error, counters and the composites",
        node.where);
  }
}

Limits read_limits(const YamlNode& node) {
  require_map(node, "`limits`",
              {"timeout_s", "memory_mib", "instructions", "stack_bytes", "heap_mib"});
  const auto limit = [&](std::string_view key) -> std::optional<Expression> {
    const YamlNode* value = node.find(key);
    if (value == nullptr) return std::nullopt;
    return read_expression(*value, fmt::format("`{}`", key));
  };
  return {node.where,           limit("timeout_s"), limit("memory_mib"), limit("instructions"),
          limit("stack_bytes"), limit("heap_mib")};
}

}  // namespace warpmark
