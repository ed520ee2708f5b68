#include "grade/handout_assignment.hpp"

#include "base/file.hpp"
#include "grade/handout_suite.hpp"
#include "suite/yaml_write.hpp"

namespace warpmark {
namespace {

// Takes over the keys that are there, as they are written.
void take_over(const YamlNode& from, std::initializer_list<const char*> keys, YamlNode& into) {
  for (const char* key : keys) {
    if (const YamlNode* value = from.find(key)) yaml_member(into, key) = *value;
  }
}

YamlNode submission_node(const YamlNode* own, const Assignment& assignment) {
  YamlNode node;
  yaml_member(node, "file") = yaml_text(assignment.submission.file);
  if (own == nullptr) return node;
  take_over(*own, {"max_kib"}, node);
  if (!assignment.submission.headers.empty()) {
    std::vector<std::string> names;
    for (const auto& header : assignment.submission.headers) names.push_back(header.filename());
    yaml_member(node, "headers") = yaml_list(names);
  }
  take_over(*own, {"toolkit_headers"}, node);
  return node;
}

YamlNode case_node(const YamlNode& own, const HandoutCase& made, const HandoutItems& items) {
  YamlNode node;
  take_over(own, {"name", "points"}, node);
  if (made.suite != 0) {
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
  yaml_member(root, "suite") = yaml_text(items.suites.front().place.generic_string());
  yaml_member(root, "submission") = submission_node(own.find("submission"), assignment);
  take_over(own, {"trials"}, root);
  YamlNode& list = yaml_member(root, "cases");
  list.kind = YamlNode::Kind::list;
  for (const HandoutCase& one : items.cases) {
    list.elements.push_back(case_node(own.find("cases")->elements.at(one.index), one, items));
  }
  // What is flagged is for staff alone.
  const YamlNode* ptx = own.find("ptx");
  if (ptx != nullptr && ptx->find("forbid") != nullptr) {
    take_over(*ptx, {"forbid"}, yaml_member(root, "ptx"));
  }
  take_over(own, {"limits", "due", "late"}, root);
  return to_yaml(root);
}

}  // namespace warpmark
