#include "grade/submission/notebook.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

// A text, or a list of its lines with their ends, as nbformat has sources.
std::string source_of(const nlohmann::json& cell) {
  const auto source = cell.find("source");
  if (source == cell.end()) return "";
  if (source->is_string()) return source->get<std::string>();
  std::string text;
  if (!source->is_array()) return text;
  for (const nlohmann::json& line : *source) {
    if (line.is_string()) text += line.get<std::string>();
  }
  return text;
}

// The first line of a cell, where it is a magic that writes a file or hands it to Warpmark.
struct Magic {
  bool found = false;
  bool appends = false;
  std::string name;
};

Magic magic_of(std::string_view line) {
  line = trim(line);
  Magic magic;
  const auto take = [&](std::string_view word) {
    const bool there =
        line.starts_with(word) &&
        (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
    if (there) line = trim(line.substr(word.size()));
    return there;
  };
  if (take("%%warpmark")) {
    magic.found = true;
    return magic;
  }
  if (!take("%%writefile") && !take("%%file")) return magic;
  magic.appends = take("-a") || take("--append");
  const bool quoted = line.size() >= 2 && (line.front() == '"' || line.front() == '\'') &&
                      line.back() == line.front();
  if (quoted) line = line.substr(1, line.size() - 2);
  while (line.starts_with("./")) line.remove_prefix(2);
  magic.name = line;
  magic.found = !magic.name.empty();
  return magic;
}

void add_cell(NotebookFiles& files, const std::string& source) {
  // IPython takes a magic behind empty lines, too.
  const size_t first = source.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return;
  const size_t end = std::min(source.find('\n', first), source.size());
  const Magic magic = magic_of(std::string_view(source).substr(first, end - first));
  if (!magic.found) return;
  std::string text = source.substr(0, first) + source.substr(end);
  if (!text.ends_with('\n')) text += '\n';
  const auto [known, is_new] = files.texts.try_emplace(magic.name);
  if (magic.appends) {
    known->second += text;
    return;
  }
  files.repeated = files.repeated || !is_new;
  known->second = std::move(text);
}

}  // namespace

bool is_notebook(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".ipynb";
}

NotebookFiles read_notebook(std::string_view bytes) {
  NotebookFiles files;
  const nlohmann::json json = try_parse_json(without_byte_order_mark(bytes));
  const auto cells = json.find("cells");
  if (!json.is_object() || cells == json.end() || !cells->is_array()) {
    files.problem = json.is_object() && json.contains("worksheets")
                        ? "is a notebook of an old format: open it in Jupyter, and save it again"
                        : "is no notebook: it is not JSON with cells";
    return files;
  }
  for (const nlohmann::json& cell : *cells) {
    if (!cell.is_object()) continue;
    const auto type = cell.find("cell_type");
    if (type != cell.end() && *type == "code") add_cell(files, source_of(cell));
  }
  return files;
}

}  // namespace warpmark
