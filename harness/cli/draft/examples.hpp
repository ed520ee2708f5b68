// The examples that came with the program: suites, courses, run configurations, files for CI.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmark {

/// One line of the list.
struct Example {
  std::string name;   ///< its path below the data folder, as "suites/doublify" or "configs/ci.yaml"
  std::string about;  ///< one sentence
};

/// A file of an example, and where the copy goes, relative to the folder that is copied into.
struct ExampleFile {
  std::filesystem::path source, place;
};

/// In the order of their kinds, and sorted. `data` is Places::data. Empty for a program that was
/// copied without it.
std::vector<Example> examples(const std::filesystem::path& data);

/// The files that an example needs: those of a folder, or a file with what it names (the kernels of
/// a suite, the suites of a run configuration or of an assignment). `name` is one of the list, or
/// any path below one. Where all lie in one folder, the copies lie together; else they keep their
/// paths below `data`, because the files name each other by these. Throws a usage error for an
/// unknown name.
std::vector<ExampleFile> example_files(const std::filesystem::path& data, const std::string& name);

/// The text of a copy that is to lie in `folder`: its first line names the schema from there.
std::string copied_text(const std::filesystem::path& source, const std::filesystem::path& schemas,
                        const std::filesystem::path& folder);

}  // namespace warpmark
