#include "base/template.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

std::string shouted(std::string_view text) {
  return std::string(text) + "!";
}

TEST(Template, ValuesAreEscapedUnlessTheyAreTakenAsTheyAre) {
  const Json values = {{"a", "x"}, {"n", 3}};
  EXPECT_EQ(filled("{{a}} {{&a}} {{n}}", values, shouted), "x! x 3!");
  EXPECT_EQ(filled("{{a}} {{&a}} {{n}}", values), "x x 3");
}

TEST(Template, OtherBracesAreText) {
  EXPECT_EQ(filled("f({{\"a\", 1}, {1}}); ${x:-{{a}}} {", {{"a", "{{b}}"}}),
            "f({{\"a\", 1}, {1}}); ${x:-{{b}}} {");
}

TEST(Template, SectionsOfListsObjectsAndTexts) {
  const Json values = {{"list", {{{"name", "a"}}, {{"name", "b"}}}},
                       {"words", {"x", "y"}},
                       {"one", {{"name", "inner"}}},
                       {"name", "outer"},
                       {"yes", true},
                       {"no", false},
                       {"empty", ""},
                       {"none", Json::array()}};
  EXPECT_EQ(filled("{{#list}}{{name}},{{/list}}", values), "a,b,");
  EXPECT_EQ(filled("{{#words}}<{{.}}{{name}}>{{/words}}", values), "<xouter><youter>");
  EXPECT_EQ(filled("{{#one}}{{name}}{{/one}} {{name}}", values), "inner outer");
  for (const char* nothing : {"no", "empty", "none", "unknown"}) {
    const std::string name = nothing;
    EXPECT_EQ(
        filled("{{#" + name + "}}a{{/" + name + "}}{{^" + name + "}}b{{/" + name + "}}", values),
        "b");
  }
  EXPECT_EQ(filled("{{#yes}}{{^no}}{{#yes}}a{{/yes}}b{{/no}}c{{/yes}}{{^yes}}d{{/yes}}", values),
            "abc");
}

TEST(Template, ATagAloneOnItsLineTakesTheLine) {
  EXPECT_EQ(filled("<ul>\n{{#list}}\n<li>{{.}}\n{{/list}}\n</ul>\n", {{"list", {1, 2}}}),
            "<ul>\n<li>1\n<li>2\n</ul>\n");
  EXPECT_EQ(filled("{{a}}\n", {{"a", ""}}), "\n");
}

TEST(Template, MistakesAreErrors) {
  EXPECT_THROW(filled("{{unknown}}", Json::object()), Error);
  EXPECT_THROW(filled("{{#a}}", {{"a", 1}}), Error);
  EXPECT_THROW(filled("{{>unknown.html}}", Json::object()), Error);
  EXPECT_THROW(embedded_text("unknown"), Error);
}

TEST(Template, FilesOfAFolder) {
  const std::vector<std::string> files = embedded_files("cli/draft/plugin/");
  EXPECT_EQ(files, (std::vector<std::string>{"CMakeLists.txt.in", "README.md.in", "plugin.cpp.in",
                                             "plugin.yaml.in"}));
}

}  // namespace
}  // namespace warpmark
