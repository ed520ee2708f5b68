#include "grade/handout/handout_assignment.hpp"

#include "base/file.hpp"
#include "grade/handout/handout_suite.hpp"
#include "suite/yaml_write.hpp"

namespace warpmark {
namespace {

// Takes over the given keys if they exist, as they are written.
void take_over(const YamlNode& from, std::initializer_list<const char*> keys, YamlNode& into) {
  for (const char* key : keys) {
    if (const YamlNode* value = from.find(key)) yaml_member(into, key) = *value;
  }
}

YamlNode submission_node(const YamlNode* own, const Assignment& assignment) {
  YamlNode node;
  // With several files, each is named with its suite.
  if (!assignment.submission.several()) {
    yaml_member(node, "file") = yaml_text(assignment.submission.file);
  }
  if (own == nullptr) return node;
  take_over(*own, {"max_kib", "own_headers", "accept"}, node);
  if (!assignment.submission.headers.empty()) {
    std::vector<std::string> names;
    for (const auto& header : assignment.submission.headers) names.push_back(header.filename());
    yaml_member(node, "headers") = yaml_list(names);
  }
  take_over(*own, {"toolkit_headers"}, node);
  return node;
}

YamlNode suites_node(const Assignment& assignment, const HandoutItems& items) {
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (const HandoutSuite& one : items.suites) {
    YamlNode entry;
    yaml_member(entry, "suite") = yaml_text(one.place.generic_string());
    if (assignment.submission.several()) {
      yaml_member(entry, "file") = yaml_text(assignment.file_of(*one.suite));
    }
    list.elements.push_back(std::move(entry));
  }
  return list;
}

YamlNode case_node(const YamlNode& own, const HandoutCase& made, const HandoutItems& items,
                   bool lists) {
  YamlNode node;
  take_over(own, {"name", "points"}, node);
  if (made.suite != 0 || lists) {
    yaml_member(node, "suite") = yaml_text(items.suites[made.suite].place.generic_string());
  }
  if (!made.axes.empty()) yaml_member(node, "axes") = axes_node(made.axes);
  if (!made.where.empty()) yaml_member(node, "where") = yaml_text(made.where);
  take_over(own, {"credit", "performance", "hint", "extra"}, node);
  return node;
}

}  // namespace

std::string handout_assignment_text(const Assignment& assignment, const HandoutItems& items) {
  const YamlNode own = parse_yaml(read_file(assignment.file), display_path(assignment.file));
  YamlNode root;
  take_over(own, {"warpmark", "assignment", "title", "about"}, root);
  yaml_member(root, "handout") = yaml_text(kStoreFile);
  const bool lists = !assignment.suite_files.empty();
  if (lists) {
    yaml_member(root, "suites") = suites_node(assignment, items);
  } else {
    yaml_member(root, "suite") = yaml_text(items.suites.front().place.generic_string());
  }
  YamlNode submission = submission_node(own.find("submission"), assignment);
  if (!submission.members.empty()) yaml_member(root, "submission") = std::move(submission);
  take_over(own, {"trials"}, root);
  YamlNode& list = yaml_member(root, "cases");
  list.kind = YamlNode::Kind::list;
  for (const HandoutCase& one : items.cases) {
    list.elements.push_back(
        case_node(own.find("cases")->elements.at(one.index), one, items, lists));
  }
  // Flags are for staff alone.
  const YamlNode* ptx = own.find("ptx");
  if (ptx != nullptr && ptx->find("forbid") != nullptr) {
    take_over(*ptx, {"forbid"}, yaml_member(root, "ptx"));
  }
  take_over(own, {"limits", "due", "late"}, root);
  return to_yaml(root);
}

}  // namespace warpmark
