// Reads the keys that say how a case must end: tolerance, expect and limits.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// `exact`, `from_float64`, or a map of bounds with these keys.
SuiteTolerance read_one_tolerance(const YamlNode& node, const std::string& what,
                                  const KeyTable& keys) {
  SuiteTolerance tolerance;
  tolerance.where = node.where;
  if (node.kind == YamlNode::Kind::scalar) {
    if (read_word(node, what, {"exact", "from_float64"}) == "from_float64")
      tolerance.kind = ToleranceKind::from_float64;
    return tolerance;
  }
  const KeyedMap map(node, what, keys);
  tolerance.ulp = map.text("ulp");
  tolerance.rtol = map.text("rtol");
  tolerance.atol = map.text("atol");
  tolerance.times = map.text("from_float64");
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
  tolerance.nan = map.word<NanPolicy>("nan").value_or(tolerance.nan);
  return tolerance;
}

ExpectedFault read_fault(const YamlNode& node) {
  const KeyedMap map(node, "`expect`", fault_keys());
  const YamlNode& kind = map.at("fault");
  return {{read_word(kind, "`fault`", fault_kinds()), kind.content}, map.text("argument")};
}

// One kind, or a list of kinds.
ExpectedReports read_reports(const YamlNode& node) {
  const KeyedMap map(node, "`expect`", report_keys());
  ExpectedReports expected;
  read_one_or_more(map.at("report"), "`report`", [&](const YamlNode& kind) {
    std::string word = read_word(kind, "`report`", report_kinds());
    if (std::ranges::any_of(expected.kinds, [&](const Located& one) { return one.text == word; })) {
      throw usage_error(fmt::format("`{}` is there a second time", word), kind.where);
    }
    expected.kinds.push_back({std::move(word), kind.content});
  });
  expected.argument = map.text("argument");
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
    if (std::ranges::find(known, member.key) == known.end()) {
      throw unknown_counter(member);
    }
    read_one_or_more(member.value, "`" + member.key + "`", [&](const YamlNode& bound) {
      suite.counters.push_back(read_bound(member, bound));
    });
  }
}

}  // namespace

void read_tolerance(const YamlNode& node, Suite& suite) {
  suite.tolerance = read_one_tolerance(node, "`tolerance`", tolerance_keys());
  const YamlNode* outputs = node.find("outputs");
  if (outputs == nullptr) return;
  require_named_map(*outputs, "`outputs`");
  for (const YamlMember& member : outputs->members) {
    suite.output_tolerances.push_back(
        {member.key, member.where,
         read_one_tolerance(member.value, "`" + member.key + "`", output_tolerance_keys())});
  }
}

void read_expect(const YamlNode& node, Suite& suite) {
  if (node.kind == YamlNode::Kind::scalar) {
    const std::string word = read_word(node, "`expect`", {"pass", "compile_error"});
    if (word == "compile_error") suite.compile_error = ExpectedCompileError{node.where, {}};
    return;
  }
  const std::vector<std::string> of_counters = counted_keys().names();
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
  if (std::ranges::any_of(of_counters, [&](const auto& key) { return node.find(key); })) {
    const KeyedMap map(node, "`expect`", counted_keys());
    if (const YamlNode* counters = map.find("counters")) read_counters(*counters, suite);
    read_composites(map, suite);
    return;
  }
  if (node.find("fault") != nullptr) {
    suite.fault = read_fault(node);
  } else if (node.find("report") != nullptr) {
    suite.report = read_reports(node);
  } else if (node.find("compile_error") != nullptr) {
    const KeyedMap map(node, "`expect`", compile_error_keys());
    suite.compile_error = ExpectedCompileError{node.where, map.text("compile_error")};
  } else {
    throw usage_error(
        "`expect` needs one of fault, report, compile_error, counters and the composites",
        node.where);
  }
}

Limits read_limits(const YamlNode& node) {
  const KeyedMap map(node, "`limits`", limits_keys());
  return {node.where,
          map.expression("timeout_s"),
          map.expression("memory_mib"),
          map.expression("instructions"),
          map.expression("stack_bytes"),
          map.expression("heap_mib")};
}

}  // namespace warpmark
