// Notebooks as people and strangers write them.
#include "grade/submission/notebook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string cells(const std::string& inside) {
  return R"({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [)" + inside + "]}";
}
std::string code(const std::string& source) {
  return R"({"cell_type": "code", "outputs": [], "source": )" + source + "}";
}

TEST(Notebook, CellsWithAMagicAreFiles) {
  const NotebookFiles files = read_notebook(cells(
      R"({"cell_type": "markdown", "source": "%%writefile no.cu\nno"},)" +
      code(R"("import os\n%%writefile no.cu\n")") + "," + code(R"("%%writefile a.cu\nint a;")") +
      "," + code(R"(["%%file \"my kernel.cu\"\n", "int b;\n", "int c;\n"])") + "," +
      code(R"("\n  %%writefile ./c.h\n#define C\n")") + "," +
      code(R"("%%warpmark try hw1.yaml\nint d;\n")") + "," + code(R"("%%writefiles e.cu\n")")));
  EXPECT_EQ(files.problem, "");
  EXPECT_FALSE(files.repeated);
  // The line of the magic stays, empty.
  EXPECT_THAT(
      files.texts,
      UnorderedElementsAre(Pair("a.cu", "\nint a;\n"), Pair("my kernel.cu", "\nint b;\nint c;\n"),
                           Pair("c.h", "\n  \n#define C\n"), Pair("", "\nint d;\n")));
}

TEST(Notebook, TheLastCellCountsAndOneMayGoOn) {
  const NotebookFiles files = read_notebook(cells(code(R"("%%writefile a.cu\nint old;\n")") + "," +
                                                  code(R"("%%writefile a.cu\nint a;\n")") + "," +
                                                  code(R"("%%writefile -a a.cu\nint b;\n")")));
  EXPECT_TRUE(files.repeated);
  EXPECT_THAT(files.texts, UnorderedElementsAre(Pair("a.cu", "\nint a;\n\nint b;\n")));
}

TEST(Notebook, BytesThatAreNone) {
  for (const char* text : {"", "{", "[]", "3", "null", R"({"cells": 3})", R"({"cells": {}})"}) {
    EXPECT_THAT(read_notebook(text).problem, HasSubstr("is no notebook")) << text;
  }
  EXPECT_THAT(read_notebook(R"({"worksheets": []})").problem, HasSubstr("an old format"));
  for (const std::string& cell :
       {std::string("3"), std::string("{}"), std::string(R"({"cell_type": 3})"), code("3"),
        code("null"), code("[3, {}]"), code(R"("%%writefile")"), code(R"("%%writefile   \nx")")}) {
    const NotebookFiles files = read_notebook(cells(cell));
    EXPECT_EQ(files.problem, "") << cell;
    EXPECT_THAT(files.texts, IsEmpty()) << cell;
  }
  const std::string deep(1'000'000, '[');
  EXPECT_NE(read_notebook(cells(deep)).problem, "");
  const std::string closed = deep + std::string(deep.size(), ']');
  EXPECT_EQ(read_notebook(cells(closed)).problem, "");
}

}  // namespace
}  // namespace warpmark
