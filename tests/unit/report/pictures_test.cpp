// Pictures of races, requests and branches: what is drawn of what a device says, which may be nonsense.
// WARPMARK_UPDATE_GOLDEN=1 rewrites the files of `pictures`, which have an element on each line.
#include "report/pictures/pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/file.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ReportJson parsed(const char* text) {
  return ReportJson::parse(text);
}

ReportJson race() {
  return parsed(R"({"kind": "race", "hazard": "read after write", "space": "shared",
    "variable": "tile", "thread": [0,0,0], "block": [0,0,0], "file": "k.cu", "line": 6,
    "text": "out[i] = tile[63 - i];", "instruction": "ld.shared.f32 %f1, [%r1];",
    "other": {"thread": [63,0,0], "block": [0,0,0], "file": "k.cu", "line": 4,
              "text": "tile[i] = </svg>;"}})");
}

// A request of so many lanes with the places that a function gives.
SampledAccess request(const char* kind, int64_t bytes, uint32_t lanes, const ReportJson& measures,
                      const std::function<int64_t(int64_t)>& place) {
  ReportJson made = {{"kind", kind}, {"file", "k.cu"}, {"line", 5},         {"bytes", bytes},
                     {"warp", 1},    {"lanes", lanes}, {"block", {0, 0, 0}}};
  made["places"] = ReportJson::array();
  for (int64_t lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1U) != 0) made["places"].push_back(place(lane));
  }
  made.update(measures);
  auto access = read_sampled_access(made);
  EXPECT_TRUE(access);
  return access.value_or(SampledAccess{});
}

void expect_golden(const std::optional<Picture>& picture, const std::string& name) {
  ASSERT_TRUE(picture) << name;
  std::string text;
  for (const char c : picture->svg) text += c == '<' && !text.empty() ? "\n<" : std::string(1, c);
  text += "\n";
  const auto golden =
      std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/unit/report/pictures" / (name + ".svg");
  if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, text);
  EXPECT_EQ(read_file(golden), text) << name;
}

TEST(Pictures, AreDrawnAsTheyWere) {
  expect_golden(race_picture(race()), "race");
  expect_golden(sector_picture(request("global_load", 4, 0xff,
                                       {{"sectors", 4}, {"ideal_sectors", 1}, {"unique_bytes", 32}},
                                       [](int64_t lane) { return 16 * lane; })),
                "sectors");
  expect_golden(count_roofline({{"ptx_flops", 1000}, {"global_load_sectors", 1000}}), "roofline");
}

TEST(PictureSteps, BoxesAndShading) {
  EXPECT_EQ(box_steps(1, 2, 10, 8), "M1 2h10v8h-10z");
  EXPECT_EQ(hatch_steps(0, 0, 10, 5), "M5 0l-5 5M10 0l-5 5");
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("äöüäöüä", 6), "äöüäö…");
}

TEST(RacePicture, TwoThreadsAndWhatIsMissing) {
  const auto picture = race_picture(race());
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->caption, "Race: read after write of tile");
  EXPECT_THAT(picture->svg,
              AllOf(HasSubstr("role=\"img\""), HasSubstr("<title>A race on a time"),
                    HasSubstr("<desc>First thread (63,0,0) of block (0,0,0) writes in "
                              "line 4; then thread (0,0,0)"),
                    HasSubstr("block (0,0,0), warp 1"), HasSubstr("1  line 4 writes"),
                    HasSubstr("2  line 6 reads"), HasSubstr("missing: __syncthreads()"),
                    HasSubstr("tile[i] = &lt;/svg&gt;;")));
  EXPECT_THAT(picture->remark, HasSubstr("Put __syncthreads() between line 4 and line 6"));
}

TEST(RacePicture, WhatIsMissingDependsOnWhoRaces) {
  const auto missing = [](const std::function<void(ReportJson&)>& change) {
    ReportJson report = race();
    change(report);
    const auto picture = race_picture(report);
    if (!picture) return std::string();
    const size_t at = picture->svg.find("missing: ") + 9;
    return picture->svg.substr(at, picture->svg.find('<', at) - at);
  };
  EXPECT_EQ(missing([](ReportJson& report) { report["block"][0] = 1; }),
            "a release and an acquire");
  const auto one_line = [](ReportJson& report) {
    report["hazard"] = "write after write";
    report["line"] = 4;
  };
  EXPECT_EQ(missing(one_line), "an atomic operation");
  EXPECT_EQ(missing([](ReportJson& report) { report["instruction"] = "cp.async.ca …"; }),
            "a wait for the copy");
  EXPECT_EQ(missing([](ReportJson& report) { report["other"]["line"] = 9; }), "__syncthreads()");
  EXPECT_EQ(missing([](ReportJson& report) { report["hazard"] = "exit after read"; }), "");
  EXPECT_EQ(missing([](ReportJson& report) { report["other"] = 3; }), "");
  EXPECT_EQ(missing([](ReportJson& report) { report["kind"] = "sync"; }), "");
  EXPECT_EQ(missing([](ReportJson& report) { report["thread"] = "x"; }), "__syncthreads()");
}

TEST(RacePicture, OfBothOrdersTheProgramsIsDrawn) {
  ReportJson report = race();
  std::swap(report["line"], report["other"]["line"]);
  report["hazard"] = "write after read";
  EXPECT_EQ(race_picture(report)->caption, "Race: write after read of tile");
  report["both_orders"] = true;
  const auto picture = race_picture(report);
  EXPECT_EQ(picture->caption, "Race: read after write of tile");
  EXPECT_THAT(picture->svg, AllOf(HasSubstr("1  line 4 writes"), HasSubstr("2  line 6 reads")));
  EXPECT_THAT(picture->remark, HasSubstr("between line 4 and line 6"));
}

TEST(BankPicture, WordsOfABankAreAStack) {
  const auto all = request("shared_load", 4, 0x3, {{"wavefronts", 2}, {"ideal_wavefronts", 1}},
                           [](int64_t lane) { return 128 * lane; });
  const auto picture = bank_picture(all);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->caption, "Bank conflicts: line 5 of k.cu");
  EXPECT_THAT(picture->svg,
              AllOf(HasSubstr("2 words of this bank: 2 passes"),
                    HasSubstr("<path class=\"wire\" d=\"M17.9 30L17.9 72M29.1 30L17.9 72\"/>"),
                    HasSubstr("<path class=\"extra\" d=\"M13 97h9.8v8h-9.8z\"/>")));
  EXPECT_THAT(picture->remark, HasSubstr("A bank gives one word"));
  const auto same = request("shared_atomic", 4, 0x7, {{"wavefronts", 3}, {"turns", 3}},
                            [](int64_t) { return 64; });
  EXPECT_THAT(bank_picture(same)->svg, HasSubstr("3 lanes at this bank"));
}

TEST(SectorPicture, EachLineOfMemoryIsARow) {
  const auto far =
      request("global_load", 4, ~0U,
              {{"sectors", 32}, {"ideal_sectors", 4}, {"unique_bytes", 128}, {"argument", "<b>"}},
              [](int64_t lane) { return 4096 * lane; });
  const auto picture = sector_picture(far);
  ASSERT_TRUE(picture);
  EXPECT_THAT(picture->svg, AllOf(HasSubstr(">+36864<"), Not(HasSubstr(">+40960<")),
                                  HasSubstr("… and 22 more lines of 128 bytes")));
  EXPECT_EQ(picture->remark,
            "32 lanes ask for 128 bytes of <b>; 32 sectors move 1024 bytes. 4 would do if these "
            "bytes lay side by side.");
  // An element across two sectors, and lanes with one place.
  const auto across = request("global_store", 8, 0x3, {{"sectors", 2}, {"ideal_sectors", 1}},
                              [](int64_t) { return 28; });
  EXPECT_THAT(sector_picture(across)->svg,
              HasSubstr("<path class=\"full\" d=\"M126.4 34h9.2v15h-9.2zM137 34h8.6v15h-8.6z\"/>"));
}

TEST(SectorPicture, ALineOfLocalMemoryHasAWordOfEachLane) {
  // Elements of 8 bytes: two words of each lane, those of lane 9 in other lines than lane 1's.
  const auto apart = request("local_load", 8, 1U << 1 | 1U << 9,
                             {{"sectors", 4}, {"ideal_sectors", 1}, {"unique_bytes", 16}},
                             [](int64_t lane) { return lane == 1 ? 0 : 8; });
  const auto picture = sector_picture(apart);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->caption, "Sectors of a local load: line 5 of k.cu");
  EXPECT_THAT(picture->svg,
              AllOf(HasSubstr(">word 0<"), HasSubstr(">word 3<"), Not(HasSubstr(">word 4<")),
                    HasSubstr(">lane<"), HasSubstr(">24<"),
                    // Lane 1 begins at byte 4 of its line, lane 9 at byte 4 of the second sector.
                    HasSubstr("<path class=\"full\" d=\"M66.4 34h9.2v15h-9.2z\"/>"),
                    HasSubstr("<path class=\"full\" d=\"M146.4 74h9.2v15h-9.2z\"/>")));
  EXPECT_EQ(picture->remark,
            "2 lanes ask for 16 bytes; 4 sectors move 128 bytes. 1 would do if all lanes used the "
            "same words, which lie side by side.");
}

TEST(SampledAccess, NonsenseIsNotDrawn) {
  const ReportJson right = parsed(R"({"kind": "global_load", "bytes": 4, "lanes": 3,
                                      "places": [0, 128]})");
  EXPECT_TRUE(read_sampled_access(right));
  for (const char* change :
       {R"({"bytes": 0})", R"({"bytes": 4096})", R"({"lanes": 0})", R"({"lanes": -1})",
        R"({"lanes": 7})", R"({"places": 3})", R"({"places": [0, -1]})", R"({"places": [0, "x"]})",
        R"({"places": [0, 18446744073709551615]})", R"({"lanes": "x"})"}) {
    ReportJson wrong = right;
    wrong.update(parsed(change));
    EXPECT_FALSE(read_sampled_access(wrong)) << change;
  }
  EXPECT_FALSE(read_sampled_access(parsed("[]")));
  EXPECT_FALSE(sector_picture(*read_sampled_access(right)));  // no sectors
}

TEST(BranchPicture, SidesAndBranchesWithinThem) {
  const auto picture = branch_picture(parsed(R"({"block": [0,0,0], "warp": 3, "count": 9,
    "partings": [
      {"file": "k.cu", "line": 7, "lanes": 4294967295, "taken": 4294901760, "to": 12, "other": 8},
      {"file": "k.cu", "line": 9, "lanes": 65535, "taken": 255, "to": 10, "other": 11},
      {"file": "k.cu", "line": 7, "lanes": 0, "taken": 1}]})"));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->caption, "Lanes that part: block (0,0,0), warp 3");
  std::vector<std::string> texts;
  for (size_t at = 0; (at = picture->svg.find("<text", at)) != std::string::npos; ++at) {
    const size_t begin = picture->svg.find('>', at) + 1;
    texts.push_back(picture->svg.substr(begin, picture->svg.find('<', begin) - begin));
  }
  EXPECT_THAT(texts,
              testing::ElementsAre("line 7", "32 lanes come to it", "16 lanes go on at line 8",
                                   "line 9", "8 lanes go on at line 10", "8 lanes go on at line 11",
                                   "16 lanes go on at line 12"));
  EXPECT_THAT(picture->remark, HasSubstr("The first 2 of 9 times."));
  EXPECT_FALSE(branch_picture(parsed("{}")));
  EXPECT_FALSE(branch_picture(parsed(R"({"partings": [3]})")));
}

TEST(BranchPicture, RoundsOfALoopFollowEachOther) {
  const auto picture = branch_picture(parsed(R"({"block": [0,0,0], "warp": 0, "partings": [
      {"file": "k.cu", "line": 7, "lanes": 15, "taken": 14, "to": 8, "other": 12},
      {"file": "k.cu", "line": 7, "lanes": 14, "taken": 12, "to": 8, "other": 12}]})"));
  ASSERT_TRUE(picture);
  const size_t leaves = picture->svg.find(">1 lane goes on at line 12<");
  const size_t again = picture->svg.find(">line 7, again<");
  EXPECT_LT(leaves, again);
  EXPECT_NE(again, std::string::npos);
}

TEST(BranchPicture, ManyBranchesAreCounted) {
  ReportJson way = {{"block", {0, 0, 0}}, {"warp", 0}, {"partings", ReportJson::array()}};
  for (int i = 0; i < 40; ++i)
    way["partings"].push_back({{"file", "k.cu"}, {"line", i + 1}, {"lanes", 3}, {"taken", 1}});
  EXPECT_THAT(branch_picture(way)->svg, HasSubstr("more branches"));
}

TEST(CountRoofline, SaysWhatTheLimitIs) {
  const auto slow = count_roofline({{"ptx_flops", 1000}, {"global_load_sectors", 1000}});
  ASSERT_TRUE(slow);
  EXPECT_THAT(slow->remark,
              AllOf(HasSubstr("32,000 bytes moved"), HasSubstr("memory is the limit")));
  const auto fast = count_roofline({{"ptx_flops", 10'000'000},
                                    {"global_load_sectors", 1000},
                                    {"ptx_double_thread_instructions", 1}});
  EXPECT_THAT(fast->svg, HasSubstr("34 TFLOP/s, float64"));
  EXPECT_THAT(fast->remark, HasSubstr("arithmetic is the limit"));
  EXPECT_FALSE(count_roofline({{"ptx_flops", 1000}}));
  EXPECT_FALSE(count_roofline({{"global_load_sectors", 1000}}));
}

TEST(CountRoofline, HasTheMeasuredRatesOfARecord) {
  const ReportJson run = {
      {"device", {{"name", "NVIDIA H100"}}},
      {"bench", {{"ceilings", {{"read_bytes_per_s", 2e12}, {"float32_flops_per_s", 5e13}}}}}};
  const auto roofs = measured_roofs(run);
  ASSERT_TRUE(roofs);
  EXPECT_EQ(roofs->memory, 2000);
  EXPECT_EQ(roofs->float32, 50000);
  EXPECT_EQ(roofs->float64, Roofs().float64);  // it has not measured them
  const auto picture = count_roofline({{"ptx_flops", 1000}, {"global_load_sectors", 1000}}, *roofs);
  EXPECT_EQ(picture->caption, "Roofline by counts, on NVIDIA H100, as measured");
  EXPECT_THAT(picture->svg, AllOf(HasSubstr("2 TB/s"), HasSubstr("50 TFLOP/s, float32")));
  EXPECT_FALSE(measured_roofs({{"device", {{"name", "CPU"}}}}));
  EXPECT_FALSE(measured_roofs({{"bench", {{"ceilings", nullptr}}}}));
}

TEST(CasePictures, EachLineOnceAtItsWorst) {
  const auto launch = [](int sectors) {
    return ReportJson{{"samples",
                       {{"accesses",
                         {{{"kind", "global_load"},
                           {"file", "k.cu"},
                           {"line", 5},
                           {"bytes", 4},
                           {"lanes", 1},
                           {"places", {0}},
                           {"sectors", sectors}}}}}}};
  };
  const auto pictures = pictures_of_counters({launch(1), launch(3), launch(2), 3, "x"}, 4);
  ASSERT_EQ(pictures.size(), 1);
  EXPECT_THAT(pictures[0].remark, HasSubstr("3 sectors move"));
  EXPECT_EQ(pictures_of_findings({race(), race(), race(), 7}, 2).size(), 2);
}

TEST(Pictures, APageHasRoomForSome) {
  const std::string drawn(150'000, 'x');
  ReportJson values = {{"cases", ReportJson::array()}, {"pictures", "no list"}};
  for (int i = 0; i < 3; ++i)
    values["cases"].push_back({{"pictures", picture_values({{"a", drawn}, {"b", drawn}})}});
  EXPECT_EQ(drop_pictures(values), 3);  // the third goes over the limit, and is the last
  EXPECT_EQ(values["cases"][0]["pictures"].size(), 2);
  EXPECT_EQ(values["cases"][1]["pictures"].size(), 1);
  EXPECT_EQ(values["cases"][1]["pictures"][0]["caption"], "a");
  EXPECT_EQ(values["cases"][2]["pictures"].size(), 0);
  EXPECT_EQ(drop_pictures(values), 0);
}

TEST(CasePictures, RacesComeFirstAndTheRooflineLast) {
  const ReportJson counted = {{"ptx_flops", 1000},
                              {"global_load_sectors", 3},
                              {"samples",
                               {{"accesses",
                                 {{{"kind", "global_load"},
                                   {"file", "k.cu"},
                                   {"line", 5},
                                   {"bytes", 4},
                                   {"lanes", 1},
                                   {"places", {0}},
                                   {"sectors", 3}}}}}}};
  std::vector<std::string> captions;
  for (const Picture& one : pictures_of_case({race(), race()}, {counted}, {1, 2}))
    captions.push_back(one.caption);
  EXPECT_THAT(captions, testing::ElementsAre("Race: read after write of tile",
                                             "Sectors of a global load: line 5 of k.cu",
                                             "Roofline by counts, on an H200"));
  // Counters that a suite bounds come without the sums.
  EXPECT_EQ(pictures_of_case({}, {{{"samples", counted["samples"]}}}, {1, 2}).size(), 1);
  EXPECT_EQ(pictures_of_case({}, {}, {1, 2}).size(), 0);
}

}  // namespace
}  // namespace warpmark
