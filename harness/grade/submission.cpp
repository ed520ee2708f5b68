#include "grade/submission.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "grade/student_name.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string name_of(const fs::path& path) {
  return student_name(path.filename().string());
}

bool is_cuda(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".cu" || extension == ".CU" || extension == ".Cu";
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".") || path.filename() == "__MACOSX";
}

// By name, so that what is found does not depend on the file system.
std::vector<fs::directory_entry> entries(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::directory_entry> found;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (!is_hidden(entry->path())) found.push_back(*entry);
  }
  if (code) {
    throw usage_error(
        fmt::format("cannot read the folder {}: {}", display_path(folder), code.message()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string listing(const std::vector<fs::path>& files) {
  constexpr size_t kMost = 5;  // of names that a sentence can hold
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    if (names.size() < kMost) names.push_back("`" + printable(name_of(file)) + "`");
  }
  if (files.size() > kMost) names.push_back("…");
  return join(names, ", ");
}

class Finder {
 public:
  explicit Finder(const SubmissionRules& rules) : rules_(rules) {}

  void look_at(const fs::path& path) {
    std::error_code code;
    const fs::file_status link = fs::symlink_status(path, code);
    if (!fs::exists(link)) {
      throw usage_error(fmt::format("there is no {}", display_path(path)), {},
                        "name files that were handed in, or a folder of them");
    }
    if (!fs::is_directory(path, code)) {
      if (!is_cuda(path)) {
        // Named by hand, so that it is graded or refused, and never passed over.
        add_file(path.stem().string(), path).refusal = wrong_type(path);
      } else if (path.filename() == rules_.file) {
        add_file(fs::absolute(path).lexically_normal().parent_path().filename().string(), path);
      } else {
        add_file(path.stem().string(), path);
      }
      return;
    }
    const fs::path folder = fs::absolute(path).lexically_normal();
    const std::string name =
        (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    std::vector<fs::path> sources;
    std::vector<fs::path> students;  // folders that have a file to grade in them
    bool own = false;                // a file of the assignment's name
    for (const fs::directory_entry& entry : entries(path)) {
      if (entry.is_directory(code)) {
        if (has_source(entry.path())) students.push_back(entry.path());
      } else if (is_cuda(entry.path())) {
        own = own || entry.path().filename() == rules_.file;
        sources.push_back(entry.path());
      }
    }
    if (own && sources.size() == 1 && students.empty()) return add_folder(name, path);
    if (own) refuse_mixed(path, sources, students);
    add_class(path);
  }

  FoundSubmissions take() {
    if (found_.empty()) {
      throw usage_error(
          "there is no submission: no `.cu` file and no student's folder", {},
          "each `NAME.cu`, or each folder, in the folder that is named is a student's");
    }
    std::map<std::string, std::vector<Submission>> by_student;
    for (auto& [student, submission] : found_) {
      std::vector<Submission>& several = by_student[student];
      // Named twice, as in `class class/ada`: still one.
      const fs::path here = fs::absolute(submission.path).lexically_normal();
      const bool known = std::any_of(several.begin(), several.end(), [&](const Submission& one) {
        return fs::absolute(one.path).lexically_normal() == here;
      });
      if (!known) several.push_back(submission);
    }
    FoundSubmissions all;
    for (auto& [student, several] : by_student) {
      all.all.push_back(several.size() == 1 ? several.front() : twice(several));
    }
    all.left_out = std::move(left_out_);
    return all;
  }

 private:
  static bool has_source(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code)) {
      if (is_cuda(entry->path()) && !is_hidden(entry->path())) return true;
    }
    return false;
  }

  // A student's file, or the template among the students? Whoever is passed over would have no
  // grade, and whoever is not would have another's.
  [[noreturn]] void refuse_mixed(const fs::path& folder, const std::vector<fs::path>& sources,
                                 const std::vector<fs::path>& students) const {
    std::vector<fs::path> others = students;
    for (const fs::path& source : sources) {
      if (source.filename() != rules_.file) others.push_back(source);
    }
    throw usage_error(
        fmt::format("{} has a file of the assignment's own name, `{}`, beside {}: nobody can tell "
                    "whether it is one student's submission, or a class with the template in it",
                    display_path(folder), rules_.file, listing(others)),
        {},
        fmt::format("for a class, move `{0}` away or into the folder of who handed it in; for one "
                    "student, name the file itself, as in `grade … {1}/{0}`",
                    rules_.file, display_path(folder)));
  }

  static Submission twice(const std::vector<Submission>& several) {
    Submission one;
    one.student = several.front().student;
    one.refusal = fmt::format(
        "{} submissions bear your name, and nobody but you can say which one counts. Hand in one.",
        several.size());
    std::vector<std::string> places;
    places.reserve(several.size());
    for (const Submission& submission : several) {
      places.push_back(printable(student_name(display_path(submission.path))));
    }
    one.note = "submissions of one name: " + join(places, ", ");
    return one;
  }

  Submission& add(const std::string& name, const fs::path& path) {
    Submission submission;
    submission.student = student_name(name);
    submission.path = path;
    found_.emplace_back(submission.student, std::move(submission));
    return found_.back().second;
  }

  Submission& add_file(const std::string& name, const fs::path& path) {
    Submission& submission = add(name, path);
    take_file(submission, path);
    return submission;
  }

  std::string wrong_type(const fs::path& path) const {
    return fmt::format("`{}` is no CUDA source file. Hand in a file called `{}`.",
                       printable(name_of(path)), rules_.file);
  }

  void add_folder(const std::string& name, const fs::path& folder) {
    Submission& submission = add(name, folder);
    std::error_code code;
    if (fs::is_symlink(fs::symlink_status(folder, code))) {
      submission.refusal = fmt::format(
          "The folder is a symbolic link, and links are not followed. Hand in the file `{}` "
          "itself.",
          rules_.file);
      return;
    }
    std::vector<fs::path> sources;
    std::vector<fs::path> others;
    try {
      for (const fs::directory_entry& entry : entries(folder)) {
        const bool source = is_cuda(entry.path()) && !entry.is_directory(code);
        (source ? sources : others).push_back(entry.path());
      }
    } catch (const Error& error) {
      // Of one student's folder, which is no reason to grade nobody.
      submission.refusal = "Your folder cannot be read. Ask the course's staff.";
      submission.note = error.message();
      return;
    }
    const auto exact = std::find_if(sources.begin(), sources.end(), [&](const fs::path& path) {
      return path.filename() == rules_.file;
    });
    if (exact != sources.end()) {
      take_file(submission, *exact);
      if (sources.size() > 1) {
        submission.note =
            fmt::format("of {} the one of the assignment's name was taken", listing(sources));
      }
    } else if (sources.size() == 1) {
      take_file(submission, sources.front());
      submission.note = fmt::format("`{}` was taken for `{}`, as the only .cu file",
                                    printable(submission.file), rules_.file);
    } else if (sources.empty()) {
      submission.refusal =
          others.empty()
              ? fmt::format("Nothing was handed in. Hand in a file called `{}`.", rules_.file)
              : fmt::format(
                    "There is no file `{}`, only {}. Hand in a file called `{}`, not inside "
                    "a folder or an archive.",
                    rules_.file, listing(others), rules_.file);
    } else {
      submission.refusal = fmt::format(
          "There are {} files, {}, and none is called `{}`. Hand in one file of that name.",
          sources.size(), listing(sources), rules_.file);
    }
  }

  static void take_file(Submission& submission, const fs::path& path) {
    submission.path = path;
    submission.file = name_of(path);
  }

  void add_class(const fs::path& folder) {
    std::error_code code;
    for (const fs::directory_entry& entry : entries(folder)) {
      const fs::path& path = entry.path();
      if (entry.is_directory(code)) {
        add_folder(path.filename().string(), path);
      } else if (is_cuda(path)) {
        add_file(path.stem().string(), path);
      } else {
        left_out_.push_back(
            fmt::format("{} is no .cu file", printable(student_name(display_path(path)))));
      }
    }
  }

  const SubmissionRules& rules_;
  std::vector<std::pair<std::string, Submission>> found_;
  std::vector<std::string> left_out_;
};

// No more than one byte beyond what is allowed, so that no file fills the memory. Errno, or 0.
int read_up_to(int fd, size_t most, std::string& bytes) {
  std::array<char, 1 << 16> chunk{};
  while (bytes.size() <= most) {
    const ssize_t count = ::read(fd, chunk.data(), std::min(chunk.size(), most + 1 - bytes.size()));
    if (count == 0) return 0;
    if (count > 0) {
      bytes.append(chunk.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    const bool layout = byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f' ||
                        byte == '\v' || byte == '\x1A';  // Ctrl-Z: an old end of file
    return (code < 0x20 && !layout) || code == 0x7F;
  });
}

// Why the bytes are no source to grade; "" if they are.
std::string refusal_of(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return fmt::format("`{}` is saved as UTF-16, which no CUDA compiler reads. Save it as UTF-8.",
                       file);
  }
  if (!is_text(bytes)) {
    return fmt::format(
        "`{}` is no text: it holds bytes that no source has. Hand in the source that you wrote, "
        "not "
        "what a compiler or an archiver made of it.",
        file);
  }
  const std::string_view text =
      bytes.starts_with(kByteOrderMark) ? bytes.substr(kByteOrderMark.size()) : bytes;
  if (trim(text).empty()) {
    return fmt::format("`{}` is empty. Save it in your editor, and hand it in again.", file);
  }
  return "";
}

}  // namespace

FoundSubmissions find_submissions(const std::vector<fs::path>& paths,
                                  const SubmissionRules& rules) {
  Finder finder(rules);
  for (const fs::path& path : paths) finder.look_at(path);
  return finder.take();
}

void read_submission(Submission& submission, const SubmissionRules& rules) {
  if (!submission.refusal.empty()) return;
  const std::string file = printable(submission.file);
  // No link is followed, and a pipe that nobody writes to is not waited for.
  const UniqueFd fd(
      ::open(submission.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  const int opened = fd ? 0 : errno;
  struct stat status {};
  if (opened == ELOOP) {
    submission.refusal = fmt::format(
        "`{}` is a symbolic link, and links are not followed. Hand in the file itself.", file);
  } else if (opened != 0 || ::fstat(fd.get(), &status) != 0) {
    submission.refusal = fmt::format("`{}` cannot be read. Ask the course's staff.", file);
    submission.note = std::strerror(opened != 0 ? opened : errno);
  } else if (!S_ISREG(status.st_mode)) {
    submission.refusal = fmt::format("`{}` is no file. Hand in a text file of that name.", file);
  }
  if (!submission.refusal.empty()) return;
  std::string bytes;
  if (const int code = read_up_to(fd.get(), rules.max_bytes, bytes); code != 0) {
    submission.refusal = fmt::format("`{}` cannot be read. Ask the course's staff.", file);
    submission.note = std::strerror(code);
    return;
  }
  if (bytes.size() > rules.max_bytes) {
    submission.refusal = fmt::format(
        "`{}` has {}, and no more than {} are accepted. A kernel needs less: hand in its source "
        "alone, without data.",
        file, format_bytes(std::max<uint64_t>(static_cast<uint64_t>(status.st_size), bytes.size())),
        format_bytes(rules.max_bytes));
    return;
  }
  submission.sha256 = sha256_hex(bytes);
  submission.refusal = refusal_of(bytes, file);
  if (!submission.refusal.empty()) return;
  // In front of the file comes text of ours, and a mark in the middle of a text is a character.
  if (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  submission.text = std::move(bytes);
}

}  // namespace warpmark
