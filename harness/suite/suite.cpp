#include "suite/suite.hpp"

#include <set>

namespace warpmark {

const std::vector<std::string>& fault_kinds() {
  static const std::vector<std::string> kKinds = {"illegal_address",
                                                  "misaligned_address",
                                                  "limit",
                                                  "barrier",
                                                  "unsupported_instruction",
                                                  "assert",
                                                  "trap",
                                                  "invalid_pc"};
  return kKinds;
}

const std::vector<std::string>& finding_kinds() {
  static const std::vector<std::string> kKinds = {
#define CHECK(name, kind, word, places) #kind,
#include "warpmark/checks.def"
  };
  return kKinds;
}

const std::vector<std::string>& report_kinds() {
  static const std::vector<std::string> kKinds = [] {
    std::vector<std::string> kinds = fault_kinds();
    kinds.insert(kinds.end(), finding_kinds().begin(), finding_kinds().end());
    return kinds;
  }();
  return kKinds;
}

const std::vector<std::string>& capability_names() {
  static const std::vector<std::string> kNames = {
      "image_ptx", "exact_bounds", "reports", "counters", "deterministic", "checks", "profile"};
  return kNames;
}

const std::vector<std::string>& image_forms() {
  static const std::vector<std::string> kForms = {"ptx", "cubin", "fatbin"};
  return kForms;
}

std::vector<const Argument*> all_arguments(const Suite& suite) {
  std::vector<const Argument*> all;
  for (const Argument& argument : suite.arguments) all.push_back(&argument);
  for (const Argument& variable : suite.globals) all.push_back(&variable);
  return all;
}

std::vector<PythonText> python_texts(const Suite& suite) {
  std::vector<PythonText> texts;
  for (const Argument* argument : all_arguments(suite)) {
    if (!argument->value.text.empty()) texts.push_back(argument->value);
  }
  for (const NamedText& reference : suite.reference) texts.push_back(reference.value);
  for (const SuiteCheck& check : suite.checks) {
    if (check.kind == CheckKind::function) texts.push_back({check.subject, true});
  }
  return texts;
}

namespace {

void add_step_files(const std::vector<SuiteStep>& steps, std::vector<Located>& files) {
  for (const SuiteStep& step : steps) {
    if (const auto* group = std::get_if<StepGroup>(&step.what)) add_step_files(group->steps, files);
    const auto* launch = std::get_if<StepLaunch>(&step.what);
    if (launch != nullptr && launch->file) files.push_back(*launch->file);
  }
}

}  // namespace

std::vector<std::string> python_files(const Suite& suite) {
  std::set<std::string> files;
  for (const PythonText& value : python_texts(suite)) {
    if (value.function) files.insert(value.text.substr(0, value.text.rfind(':')));
  }
  return {files.begin(), files.end()};
}

std::vector<Located> step_files(const Suite& suite) {
  std::vector<Located> files;
  if (suite.launch) add_step_files(suite.launch->steps, files);
  return files;
}

const Argument* find_argument(const Suite& suite, std::string_view name) {
  for (const Argument& argument : suite.arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

bool has_contents(const Suite& suite, std::string_view name) {
  const Argument* argument = find_argument(suite, name);
  return argument != nullptr && argument->contents;
}

const StructType* find_type(const Suite& suite, const std::string& name) {
  for (const StructType& type : suite.types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace warpmark
