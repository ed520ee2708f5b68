// A tree written as YAML is read as the same tree.
#include "suite/yaml_write.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"

namespace warpmark {
namespace {

bool same(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.elements.size() != b.elements.size() ||
      a.members.size() != b.members.size()) {
    return false;
  }
  for (size_t i = 0; i < a.elements.size(); ++i) {
    if (!same(a.elements[i], b.elements[i])) return false;
  }
  for (size_t i = 0; i < a.members.size(); ++i) {
    if (a.members[i].key != b.members[i].key) return false;
    if (!same(a.members[i].value, b.members[i].value)) return false;
  }
  return true;
}

void expect_round_trip(const std::string& text, const std::string& what) {
  const YamlNode tree = parse_yaml(text, "before.yaml");
  const std::string written = to_yaml(tree);
  EXPECT_TRUE(same(tree, parse_yaml(written, "after.yaml"))) << what << "\n" << written;
  EXPECT_EQ(to_yaml(parse_yaml(written, "after.yaml")), written) << what;
}

TEST(YamlWrite, ReadsBackEveryShippedFile) {
  size_t files = 0;
  for (const char* folder : {"suites", "courses", "configs"}) {
    const std::filesystem::path root = std::filesystem::path(WARPMARK_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".yaml") continue;
      expect_round_trip(read_file(entry.path()), entry.path().string());
      ++files;
    }
  }
  EXPECT_GT(files, 20U);
}

TEST(YamlWrite, ReadsBackWhatLooksLikeSyntax) {
  for (const char* text : {"null",   "~",
                           "true",   "0777",
                           "-07",    "0x1f",
                           "0.5",    "-1",
                           "- a",    "a: b",
                           "a #b",   "#a",
                           "*a",     "&a",
                           "!a",     "%clock64",
                           "@a",     "{a",
                           "[a",     "a, b",
                           "'a'",    "\"a\"",
                           "a\nb\n", "\n",
                           " a ",    "ceil_div(n, 128)",
                           "f(",     "größe",
                           "\\",     "?",
                           "? a",    "|",
                           ">",      "<<",
                           "---",    "-",
                           "1e5"}) {
    YamlNode root;
    yaml_member(root, "key") = yaml_text(text);
    yaml_member(root, "list") = yaml_list({text, "x"});
    yaml_member(root, "nothing");
    if (std::string(text) != "<<") yaml_member(root, text) = yaml_text("value");
    EXPECT_TRUE(same(root, parse_yaml(to_yaml(root), "x.yaml"))) << to_yaml(root);
  }
}

TEST(YamlWrite, LongMapsAreBlocks) {
  YamlNode one;
  for (const char* key : {"first", "second"})
    yaml_member(one, key) = yaml_text(std::string(60, 'x'));
  YamlNode root;
  yaml_member(root, "list").kind = YamlNode::Kind::list;
  yaml_member(root, "list").elements = {one, yaml_text("y")};
  yaml_member(root, "short") = yaml_list({"a", "b c"});
  const std::string x(60, 'x');
  EXPECT_EQ(to_yaml(root),
            "list:\n  - first: " + x + "\n    second: " + x + "\n  - y\nshort: [a, b c]\n");
  EXPECT_TRUE(same(root, parse_yaml(to_yaml(root), "x.yaml")));
}

TEST(YamlWrite, RemovesMembers) {
  YamlNode root = parse_yaml("a: 1\nb: 2\n", "x.yaml");
  remove_member(root, "a");
  remove_member(root, "c");
  EXPECT_EQ(to_yaml(root), "b: 2\n");
}

}  // namespace
}  // namespace warpmark
