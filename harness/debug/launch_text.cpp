#include "debug/launch_text.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.hpp"

namespace warpmark::debugging {
namespace {

using nlohmann::json;

std::vector<json> lines_of(void (*from)(const warpmark_debug_point*, warpmark_device_sink, void*),
                           const warpmark_debug_point& point) {
  std::vector<json> lines;
  from(
      &point,
      [](void* user, const char* text, size_t length) {
        static_cast<std::vector<json>*>(user)->push_back(
            json::parse(std::string_view(text, length), nullptr, false));
      },
      &lines);
  return lines;
}

SourcePlace place_of(const json& line) {
  return {line.value("file", ""), line.value("line", 0u)};
}

// "twice<float>" of "float twice<float>(float)": what stands before the parameters, behind the type
// of the result.
std::string instance_of(const std::string& symbol, const std::string& otherwise) {
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || readable == nullptr) return otherwise;
  const std::string_view text = readable.get();
  size_t begin = 0, end = 0;
  for (int depth = 0; end < text.size() && (depth > 0 || text[end] != '('); ++end) {
    depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
    if (depth == 0 && text[end] == ' ') begin = end + 1;
  }
  const std::string instance(text.substr(begin, end - begin));
  return instance.ends_with('>') ? instance : otherwise;
}

StatementText statement_of(const json& line, const StatementText* before) {
  StatementText one;
  one.function = line.value("function", "");
  one.symbol = line.value("symbol", one.function);
  if (before != nullptr && before->symbol == one.symbol) {
    one.function = before->function;
  } else if (one.symbol != one.function) {
    one.function = instance_of(one.symbol, one.function);
  }
  one.inside = line.value("inside", "");
  one.place = place_of(line);
  one.text = line.value("text", "");
  one.code = line.value("code", true);
  for (const json& call : line.value("inlined", json::array())) {
    one.inlined.push_back({place_of(call), call.value("function", "")});
  }
  return one;
}

// The difference of the copies of a line: the function, and the calls through which it was inlined.
std::string context_of(const StatementText& statement) {
  std::string context = statement.symbol;
  for (const InlinedCall& call : statement.inlined) {
    context += "|" + call.place.file + ":" + std::to_string(call.place.line);
  }
  return context;
}

}  // namespace

LaunchText LaunchText::read(const warpmark_debug_view& view, const warpmark_debug_point& point) {
  LaunchText text;
  const std::vector<json> described = lines_of(view.describe, point);
  if (described.size() != 1 || !described[0].is_object()) {
    throw internal_error("the device does not describe its launch");
  }
  const json& all = described[0];
  text.kernel = all.value("kernel", "");
  text.module = all.value("module", uint64_t{0});
  text.grid = all.value("grid", text.grid);
  text.block = all.value("block", text.block);
  text.rotates = all.value("rotates", false);
  for (const json& one : all.value("parameters", json::array())) {
    text.parameters.push_back(
        {one.value("name", ""), one.value("offset", uint64_t{0}), one.value("bytes", uint64_t{0})});
  }
  for (const json& one : all.value("shared", json::array())) {
    text.shared.push_back(
        {one.value("name", ""), one.value("offset", uint64_t{0}), one.value("bytes", uint64_t{0})});
  }
  text.shared_window = all.value("shared_window", uint64_t{0});
  return text;
}

void LaunchText::read_statements(const warpmark_debug_view& view,
                                 const warpmark_debug_point& point) {
  statements.clear();
  for (const json& line : lines_of(view.statements, point)) {
    const StatementText* before = statements.empty() ? nullptr : &statements.back();
    statements.push_back(line.is_object() ? statement_of(line, before) : StatementText{});
    has_lines = has_lines || statements.back().place.line != 0;
  }
}

bool LaunchText::in_prologue(uint32_t statement) const {
  const std::string& function = statements.at(statement).symbol;
  const SourcePlace& place = statements[statement].place;
  for (uint32_t i = statement; i > 0 && statements[i - 1].symbol == function; --i) {
    if (statements[i - 1].place.line != 0 && statements[i - 1].place != place) return false;
  }
  // A function of one line has no end of its prologue.
  for (uint32_t i = statement; i < statements.size() && statements[i].symbol == function; ++i) {
    if (statements[i].place.line != 0 && statements[i].place != place) return true;
  }
  return false;
}

std::string LaunchText::find_file(const std::string& name) const {
  std::string ends;
  for (const StatementText& statement : statements) {
    const std::string& file = statement.place.file;
    if (file.empty()) continue;
    if (file == name) return file;
    const bool fits = file.ends_with("/" + name) || name.ends_with("/" + file);
    if (fits && ends.empty()) ends = file;
  }
  return ends;
}

uint32_t LaunchText::next_line(const std::string& file, uint32_t line) const {
  uint32_t next = 0;
  for (const StatementText& statement : statements) {
    if (!statement.code || statement.place.file != file || statement.place.line < line) continue;
    if (next == 0 || statement.place.line < next) next = statement.place.line;
  }
  return next;
}

std::vector<uint32_t> LaunchText::starts_of(const SourcePlace& place) const {
  std::vector<uint32_t> starts;
  std::set<std::string> contexts;
  for (uint32_t i = 0; i < statements.size(); ++i) {
    if (!statements[i].code || statements[i].place != place) continue;
    if (contexts.insert(context_of(statements[i])).second) starts.push_back(i);
  }
  return starts;
}

std::vector<uint32_t> LaunchText::starts_of_kernel() const {
  for (uint32_t i = 0; i < statements.size(); ++i) {
    if (statements[i].code && statements[i].symbol == statements.back().symbol) return {i};
  }
  return {};
}

std::vector<uint32_t> LaunchText::starts_of_function(const std::string& name) const {
  std::vector<uint32_t> starts;
  std::map<std::string, uint32_t> without_lines;  // the first statement, by symbol
  std::set<std::string> contexts;
  for (uint32_t i = 0; i < statements.size(); ++i) {
    const StatementText& one = statements[i];
    const bool is_inlined = !one.inlined.empty();
    const std::string& function = is_inlined && !one.inside.empty() ? one.inside : one.function;
    // `twice` is each instance of it.
    const bool is_it = function == name || function.substr(0, function.find('<')) == name;
    if (!one.code || !is_it) continue;
    if (one.place.line == 0 && !is_inlined) without_lines.try_emplace(one.symbol, i);
    if (one.place.line == 0) continue;
    if (!is_inlined && in_prologue(i)) continue;
    if (contexts.insert(context_of(one)).second) starts.push_back(i);
  }
  if (!starts.empty()) return starts;
  for (const auto& [symbol, first] : without_lines) starts.push_back(first);
  return starts;
}

}  // namespace warpmark::debugging
