#include "grade/handout/handout_readme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/template.hpp"
#include "base/text.hpp"
#include "grade/assignment/assignment_credit.hpp"
#include "grade/assignment/rubric.hpp"
#include "results/reproduce.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

std::string notebook_name(const Assignment& assignment) {
  return assignment.id + ".ipynb";
}

// Wheels by their Python, the newest first.
std::vector<const Wheel*> by_python(const HandoutOptions& options) {
  std::vector<const Wheel*> wheels;
  for (const Wheel& wheel : options.wheels) wheels.push_back(&wheel);
  const auto minor = [](const Wheel* wheel) { return std::stoi(wheel->python.substr(2)); };
  std::ranges::sort(
      wheels, [&](const Wheel* one, const Wheel* other) { return minor(one) > minor(other); });
  for (size_t i = 1; i < wheels.size(); ++i) {
    if (wheels[i]->python != wheels[i - 1]->python) continue;
    throw usage_error(fmt::format("{} and {} are both for Python {}", wheels[i - 1]->name,
                                  wheels[i]->name, wheels[i]->python),
                      {}, "name one wheel for each Python");
  }
  return wheels;
}

// "3.11, 3.12 or 3.13".
std::string pythons_text(const std::vector<const Wheel*>& wheels) {
  std::string text;
  for (size_t i = wheels.size(); i-- > 0;)
    text += wheels[i]->python + (i > 1 ? ", " : i == 1 ? " or " : "");
  return text;
}

std::string cell_of(const std::string& text) {
  return escape(text, {{'|', "\\|"}});
}

std::vector<std::string> file_words(const Assignment& assignment) {
  std::vector<std::string> words;
  for (const std::string& name : assignment.submission.files()) words.push_back(shell_word(name));
  return words;
}

bool forbids(const Assignment& assignment, std::string_view name) {
  return std::ranges::any_of(assignment.ptx.forbid,
                             [&](const Located& one) { return one.text == name; });
}

// Values of all templates: where to install what.
Json install_values(const Assignment& assignment, const std::vector<const Wheel*>& wheels) {
  Json rows = Json::array();
  for (const Wheel* wheel : wheels) {
    const std::string minor = wheel->python.substr(2);
    rows.push_back(
        {{"python", wheel->python},
         {"minor", minor},
         {"name", wheel->name},
         {"argument", shell_word(wheel->address.empty() ? "./" + wheel->name : wheel->address)},
         {"file", wheel->address.empty()}});
  }
  return {{"title", assignment.title},
          {"wheels", rows},
          {"newest", wheels.empty() ? Json::object() : rows.front()},
          {"pythons", pythons_text(wheels)},
          {"files",
           std::ranges::any_of(wheels, [](const Wheel* wheel) { return wheel->address.empty(); })},
          {"notebook", notebook_name(assignment)},
          {"names", join(assignment.submission.files(), "`, `")},
          {"words", join(file_words(assignment), " ")}};
}

Json code_cell(const std::string& source) {
  return {{"cell_type", "code"},
          {"execution_count", nullptr},
          {"metadata", Json::object()},
          {"outputs", Json::array()},
          {"source", source}};
}

Json text_cell(const std::string& source) {
  return {{"cell_type", "markdown"}, {"metadata", Json::object()}, {"source", source}};
}

// A notebook that is all that a student needs, where there is no folder beside it, as in Colab: it
// brings the other files along (nbformat 4.4, which has no ids of cells).
std::string notebook(const Assignment& assignment, const std::vector<const Wheel*>& wheels,
                     const std::map<std::string, std::string>& files) {
  Json values = install_values(assignment, wheels);
  Json pip = Json::object();
  for (const Wheel* wheel : wheels)
    pip[wheel->python] = wheel->address.empty() ? wheel->name : wheel->address;
  Json others = Json::object();
  for (const auto& [place, text] : files) {
    const std::vector<std::string> own = assignment.submission.files();
    if (std::ranges::find(own, place) == own.end() && place != "README.md") others[place] = text;
  }
  // JSON of ASCII characters is Python, too.
  values["pip"] = pip.dump(-1, ' ', true);
  values["texts"] = others.dump(-1, ' ', true);
  Json cells = Json::array();
  cells.push_back(text_cell(filled_file("grade/handout/notebook.md.in", values)));
  Json setup = code_cell(filled_file("grade/handout/notebook_setup.py.in", values));
  setup["metadata"] = {{"cellView", "form"}, {"jupyter", {{"source_hidden", true}}}};
  cells.push_back(setup);
  for (const std::string& name : assignment.submission.files())
    cells.push_back(code_cell("%%writefile " + name + "\n" + files.at(name)));
  cells.push_back(code_cell(fmt::format("!{{python}} -m warpmark try assignment.yaml {}",
                                        join(file_words(assignment), " "))));
  const Json made = {
      {"cells", cells},
      {"metadata",
       {{"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 4}};
  return json_page(made) + "\n";
}

}  // namespace

std::string handout_readme(const Assignment& assignment, const HandoutOptions& options,
                           const HandoutSuite& suite) {
  double hidden = 0, hidden_extra = 0;
  Json rows = Json::array();
  for (const AssignmentCase& one : assignment.cases) {
    if (one.visibility == Visibility::hidden) {
      (one.extra ? hidden_extra : hidden) += one.points;
      continue;
    }
    const std::string credit = credit_sentence(one);
    rows.push_back({{"name", cell_of(one.name)},
                    {"points", points_phrase(one)},
                    {"credit", credit.empty() ? "it must be right" : cell_of(credit)}});
  }
  Json values = install_values(assignment, by_python(options));
  const Json more = {
      {"about", assignment.about},
      {"due", due_text(assignment.late)},
      {"late", late_sentences(assignment.late)},
      {"trials", assignment.trials.count > 1 ? trials_text(assignment.trials) : ""},
      {"several", assignment.submission.several()},
      {"several_suites", assignment.suites.size() > 1 && !assignment.suite_files.empty()},
      {"suite", shell_word(suite.place.generic_string())},
      {"case", shell_word(suite.items.front()->id)},
      {"no_printf", forbids(assignment, "vprintf")},
      {"cases", std::move(rows)},
      {"hidden_points", options.hidden_points && hidden > 0 ? points_text(hidden) : ""},
      {"hidden_extra", options.hidden_points && hidden_extra > 0 ? points_text(hidden_extra) : ""}};
  values.update(more);
  return filled_file("grade/handout/README.md.in", values);
}

std::map<std::string, std::string> setup_files(const Assignment& assignment,
                                               const HandoutOptions& options,
                                               const std::map<std::string, std::string>& files) {
  const std::vector<const Wheel*> wheels = by_python(options);
  if (wheels.empty()) return {};
  const Json values = install_values(assignment, wheels);
  std::map<std::string, std::string> made = {
      {"setup.sh", filled_file("grade/handout/setup.sh.in", values)},
      {"Dockerfile", filled_file("grade/handout/Dockerfile.in", values)},
      {".devcontainer/devcontainer.json",
       filled_file("grade/handout/devcontainer.json.in", values)},
      {notebook_name(assignment), notebook(assignment, wheels, files)}};
  for (const Wheel* wheel : wheels) {
    if (wheel->address.empty()) made[wheel->name] = read_file(wheel->file);
  }
  return made;
}

}  // namespace warpmark
