// Which files are suites, and what they are called.
#include "suite/suite_find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "suite/suite.hpp"

namespace warpmark {

namespace fs = std::filesystem;

fs::path whole_path(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::absolute(path, code);
  return (code ? path : whole).lexically_normal();
}

std::string suite_name(const fs::path& file) {
  const fs::path whole = whole_path(file);
  fs::path root = whole.parent_path();
  for (fs::path folder = root; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (folder.filename() == "suites") {
      root = folder;
      break;
    }
  }
  fs::path relative = whole.lexically_relative(root);
  relative.replace_extension();
  if (relative.filename() == "suite") {
    relative = relative.parent_path();
    if (relative.empty()) relative = root.filename();
  }
  std::string name = relative.generic_string();
  for (char& c : name) {
    if (c == '-') c = '~';
    const bool fits = is_word_character(c) || c == '/' || c == '~';
    if (!fits) {
      throw usage_error(
          fmt::format("`{}` is no name of a suite: case ids have letters, digits, _ and -",
                      relative.generic_string()),
          {display_path(whole), 0, 0}, "rename the file or its folder");
    }
  }
  return name;
}

std::string bad_suite_name(const fs::path& path) {
  try {
    return suite_name(path);
  } catch (const Error&) {
    std::string name = path.stem().string();
    for (char& c : name) {
      const bool fits = is_word_character(c);
      if (!fits) c = '_';
    }
    return name.empty() ? "suite" : name;
  }
}

namespace {

class Search {
 public:
  void add(const fs::path& path) {
    fs::path whole = whole_path(path);
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/" ends in an empty name
    std::error_code ignored;
    if (fs::is_directory(whole, ignored)) {
      const size_t bad_before = bad_.size();
      const size_t found = collect(whole);
      if (found == 0 && bad_.size() == bad_before) {
        add_bad(whole, usage_error(fmt::format("the folder {} has no suite", display_path(whole)),
                                   {}, "suites are files called *.yaml"));
      }
    } else if (whole.extension() == ".cu" && fs::exists(whole, ignored)) {
      const std::string name = display_path(whole);
      add_bad(whole, usage_error(fmt::format("{} has kernels, and is no suite", name), {},
                                 fmt::format("`warpmark new suite {}` writes a suite for each of "
                                             "its kernels",
                                             name)));
    } else if (fs::exists(whole, ignored)) {
      files_.insert(whole);
    } else {
      add_bad(whole, usage_error(fmt::format("there is no suite {}", display_path(whole))));
    }
  }

  FoundSuites take() {
    std::map<std::string, std::vector<fs::path>> names;
    for (const fs::path& file : files_) {
      try {
        names[suite_name(file)].push_back(file);
      } catch (const Error& error) {
        add_bad(file, error);
      }
    }
    FoundSuites found;
    for (const fs::path& file : files_) {
      const auto owner = names.find(bad_suite_name(file));
      if (owner == names.end()) continue;
      const std::vector<fs::path>& owners = owner->second;
      if (owners.size() == 1 && owners.front() == file) found.files.push_back(file);
      // Neither of them is the one that is meant.
      if (owners.size() > 1 && owners.front() == file) {
        add_bad(file,
                usage_error(fmt::format("two files make the suite `{}`: {} and {}", owner->first,
                                        display_path(owners[0]), display_path(owners[1])),
                            {}, "rename one of them"));
      }
    }
    std::set<std::string> taken;
    for (const auto& [name, owners] : names) {
      if (owners.size() == 1) taken.insert(name);
    }
    for (BadSuite& one : bad_) {
      const std::string name = one.name;
      for (int number = 2; !taken.insert(one.name).second; ++number) {
        one.name = name + "_" + std::to_string(number);
      }
    }
    found.bad = std::move(bad_);
    return found;
  }

 private:
  void add_bad(const fs::path& path, Error error) {
    bad_.push_back({bad_suite_name(path), path, std::move(error)});
  }

  // How many suites there are. A folder that cannot be read takes none of the others along.
  size_t collect(const fs::path& folder) {
    std::error_code code;
    const fs::path real = fs::canonical(folder, code);
    // A link to a folder that it is in would be followed for ever.
    if (!code && std::ranges::find(open_, real) != open_.end()) return 0;
    open_.push_back(real);
    size_t found = 0;
    fs::directory_iterator entry(folder, code);
    for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
      const std::string name = entry->path().filename();
      std::error_code ignored;
      if (name[0] == '.') continue;
      if (entry->is_directory(ignored)) {
        found += collect(entry->path());
      } else if (entry->path().extension() == ".yaml") {
        files_.insert(entry->path().lexically_normal());
        ++found;
      }
    }
    open_.pop_back();
    if (code) {
      add_bad(folder, usage_error(fmt::format("cannot read the folder {}: {}", display_path(folder),
                                              code.message())));
    }
    return found;
  }

  std::set<fs::path> files_;
  std::vector<BadSuite> bad_;
  std::vector<fs::path> open_;  ///< folders that are being read, from the outermost
};

}  // namespace

FoundSuites look_for_suites(const std::vector<fs::path>& paths) {
  Search search;
  for (const fs::path& path : paths) search.add(path);
  return search.take();
}

std::vector<fs::path> find_suites(const std::vector<fs::path>& paths) {
  FoundSuites found = look_for_suites(paths);
  if (!found.bad.empty()) throw found.bad.front().error;
  return std::move(found.files);
}

}  // namespace warpmark
