#include "grade/submission/submission.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "compiler/ptx_contents.hpp"
#include "grade/submission/notebook.hpp"
#include "grade/submission/own_headers.hpp"
#include "grade/submission/student_name.hpp"
#include "grade/submission/submission_choice.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Reads no more than one byte beyond `most`, so that no file fills the memory. Returns errno, or 0.
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
  return std::ranges::none_of(bytes, [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    const bool layout = byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f' ||
                        byte == '\v' || byte == '\x1A';  // Ctrl-Z: an old end of file
    return (code < 0x20 && !layout) || code == 0x7F;
  });
}

// The reason why the bytes are no source to grade; "" if they are.
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
  if (trim(without_byte_order_mark(bytes)).empty()) {
    return fmt::format("`{}` is empty. Save it in your editor, and hand it in again.", file);
  }
  return "";
}

// `size` is that of the whole file, of which `bytes` may be only a part.
std::string too_large(const std::string& name, uint64_t size, uint64_t most) {
  return fmt::format(
      "`{}` has {}, and no more than {} are accepted. A kernel needs less: hand in its source "
      "alone, without data.",
      name, format_bytes(size), format_bytes(most));
}

using TextsByName = std::map<std::string, std::string>;

// Takes the kernel's cell out of a notebook, and returns the other files that its cells write.
TextsByName take_cell(SubmittedFile& into, const SubmissionRules& rules, std::string_view bytes) {
  const std::string shown = printable(into.file);
  const std::string& name = rules.several() ? into.file : rules.file;
  NotebookFiles files = read_notebook(bytes);
  auto cell = files.texts.find(name);
  if (cell == files.texts.end() && !rules.several()) cell = files.texts.find("");
  if (!files.problem.empty()) {
    into.refusal =
        fmt::format("`{}` {}. Save the notebook, and hand it in again.", shown, files.problem);
  } else if (cell == files.texts.end()) {
    into.refusal = fmt::format(
        "No cell of the notebook begins with the line `%%writefile {0}`. Put your kernel into such "
        "a cell, or hand in a file called `{0}`.",
        name);
  } else if (cell->second.size() > rules.max_bytes) {
    into.refusal =
        too_large(fmt::format("%%writefile {}", name), cell->second.size(), rules.max_bytes);
  } else {
    into.text = std::move(cell->second);
  }
  return std::move(files.texts);
}

// Reads nothing more than `most_bytes()` of a file.
size_t most_bytes(const SubmittedFile& file, const SubmissionRules& rules) {
  return is_notebook(file.path) ? NotebookFiles::kMostBytes : rules.max_bytes;
}

// Returns the other files of a notebook.
TextsByName take_bytes(SubmittedFile& into, const SubmissionRules& rules, std::string bytes,
                       uint64_t size) {
  const std::string file = printable(into.file);
  const size_t most = most_bytes(into, rules);
  if (bytes.size() > most) {
    into.refusal = too_large(file, std::max<uint64_t>(size, bytes.size()), most);
    return {};
  }
  into.own_sha256 = sha256_hex(bytes);
  into.refusal = refusal_of(bytes, file);
  if (!into.refusal.empty()) return {};
  TextsByName others;
  if (is_notebook(into.path)) {
    others = take_cell(into, rules, bytes);
    if (!into.refusal.empty()) return {};
  } else {
    // Our own text comes before the file, and a byte order mark in the middle of a text is a
    // character.
    into.text = without_byte_order_mark(bytes);
  }
  into.may_have_host_code = rules.accepts_host_code;
  if (!rules.accepts_ptx && is_ptx(into.text)) {
    into.refusal = fmt::format(
        "`{}` is PTX. Hand in the CUDA C++ source of the kernel, not what a compiler made of it.",
        file);
  }
  return others;
}

// Reads a file from a descriptor; `note` becomes the reason why it cannot be read.
TextsByName read_descriptor(SubmittedFile& into, const SubmissionRules& rules, int descriptor,
                            std::string& note) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) status.st_size = 0;
  std::string bytes;
  if (const int code = read_up_to(descriptor, most_bytes(into, rules), bytes); code != 0) {
    into.refusal =
        fmt::format("`{}` cannot be read. Ask the course's staff.", printable(into.file));
    note = std::strerror(code);
    return {};
  }
  return take_bytes(into, rules, std::move(bytes), static_cast<uint64_t>(status.st_size));
}

TextsByName read_path(SubmittedFile& into, const SubmissionRules& rules, std::string& note) {
  const std::string file = printable(into.file);
  // Links are not followed, and the open does not wait for a writer of a pipe.
  const UniqueFd fd(
      ::open(into.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  const int opened = fd ? 0 : errno;
  struct stat status {};
  if (opened == ELOOP) {
    into.refusal = fmt::format(
        "`{}` is a symbolic link, and links are not followed. Hand in the file itself.", file);
  } else if (opened != 0 || ::fstat(fd.get(), &status) != 0) {
    into.refusal = fmt::format("`{}` cannot be read. Ask the course's staff.", file);
    note = std::strerror(opened != 0 ? opened : errno);
  } else if (!S_ISREG(status.st_mode)) {
    into.refusal = fmt::format("`{}` is no file. Hand in a text file of that name.", file);
  }
  if (!into.refusal.empty()) return {};
  return read_descriptor(into, rules, fd.get(), note);
}

// A header, which may be empty.
HeaderBytes header_bytes(const std::string& name, std::string bytes) {
  if (trim(bytes).empty()) return {std::move(bytes), ""};
  std::string refusal = refusal_of(bytes, printable(name));
  return {std::move(bytes), std::move(refusal)};
}

// True if a file exists at `name` in the folder, and no link on the way leads out of it.
bool lies_in(const fs::path& folder, const fs::path& name) {
  fs::path place = folder;
  std::error_code code;
  for (auto part = name.begin(); part != name.end(); ++part) {
    place /= *part;
    const fs::file_status status = fs::symlink_status(place, code);
    const bool last = std::next(part) == name.end();
    if (!fs::exists(status) || (!last && !fs::is_directory(status))) return false;
  }
  return true;
}

std::optional<fs::path> place_of_header(const SubmittedFile& file, const std::string& name) {
  if (const auto found = file.beside.find(name); found != file.beside.end()) return found->second;
  if (file.header_folder.empty() || !lies_in(file.header_folder, name)) return std::nullopt;
  return file.header_folder / name;
}

void read_one(SubmittedFile& file, const SubmissionRules& rules, std::string& note) {
  if (!file.refusal.empty()) return;
  const TextsByName cells = read_path(file, rules, note);
  if (!file.refusal.empty()) return;
  take_own_headers(file, rules, [&](const std::string& name) -> std::optional<HeaderBytes> {
    if (const auto cell = cells.find(name); cell != cells.end())
      return header_bytes(name, cell->second);
    const std::optional<fs::path> place = place_of_header(file, name);
    if (!place) return std::nullopt;
    SubmittedFile header;
    header.path = *place;
    header.file = student_name(name);
    // Its size counts with that of the others, and an empty header is not refused.
    std::string bytes;
    const UniqueFd fd(
        ::open(place->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      std::string why;
      read_path(header, rules, why);
      if (header.refusal.empty()) return std::nullopt;  // it is there already
      if (!why.empty()) note += (note.empty() ? "" : "; ") + why;
      return HeaderBytes{"", header.refusal};
    }
    if (read_up_to(fd.get(), rules.max_bytes, bytes) != 0) return std::nullopt;
    return header_bytes(name, std::move(bytes));
  });
}

// The hash of the whole submission: that of the bytes if there is only one file.
std::string sha256_of_all(const Submission& submission) {
  std::map<std::string, std::string> hashes;
  bool headers = false;
  for (const SubmittedFile* file : submission.sources()) {
    if (!file->own_sha256.empty()) hashes[file->file] = file->own_sha256;
    for (const OwnHeader& header : file->headers) {
      headers = true;
      // Files in different folders may have headers of the same name.
      const auto [known, is_new] = hashes.try_emplace(header.name, header.sha256);
      if (!is_new && known->second != header.sha256)
        hashes[file->file + "/" + header.name] = header.sha256;
    }
  }
  if (hashes.empty() || (submission.files.empty() && !headers)) return submission.own_sha256;
  std::string lines;
  for (const auto& [name, sha256] : hashes) lines += fmt::format("{}  {}\n", sha256, name);
  return sha256_hex(lines);
}

// Finishes a submission of several files: the whole is refused if each of them is.
void finish(Submission& submission) {
  submission.sha256 = sha256_of_all(submission);
  if (submission.files.empty()) return;
  std::vector<std::string> reasons;
  for (const SubmittedFile& file : submission.files) {
    if (file.refusal.empty()) return;
    if (std::ranges::find(reasons, file.refusal) == reasons.end()) reasons.push_back(file.refusal);
  }
  submission.refusal = join(reasons, " ");
}

}  // namespace

const SubmittedFile& Submission::of(const std::string& name) const {
  for (const SubmittedFile& one : files) {
    if (one.file == name) return one;
  }
  return *this;
}

std::vector<const SubmittedFile*> Submission::sources() const {
  std::vector<const SubmittedFile*> all;
  for (const SubmittedFile& one : files) all.push_back(&one);
  if (all.empty()) all.push_back(this);
  return all;
}

std::string wanted_files(const SubmissionRules& rules) {
  std::string text = fmt::format("a file called `{}`", rules.file);
  if (!rules.several()) return text;
  text = "files called";
  const std::vector<std::string> names = rules.files();
  for (size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}`{}`", i == 0 ? " " : i + 1 == names.size() ? " and " : ", ", names[i]);
  }
  return text;
}

void read_submission(Submission& submission, const SubmissionRules& rules) {
  if (!submission.refusal.empty()) return;
  std::string note;
  if (submission.files.empty()) read_one(submission, rules, note);
  for (SubmittedFile& file : submission.files) read_one(file, rules, note);
  // For a single file, staff need only the reading problem.
  if (submission.files.empty() && !note.empty()) {
    submission.note = note;
  } else if (!note.empty()) {
    submission.note += (submission.note.empty() ? "" : "; ") + note;
  }
  finish(submission);
}

void read_submission(Submission& submission, const SubmissionRules& rules, int descriptor) {
  read_descriptor(submission, rules, descriptor, submission.note);
  finish(submission);
}

void read_submission(Submission& submission, const SubmissionRules& rules, std::string bytes) {
  const uint64_t size = bytes.size();
  take_bytes(submission, rules, std::move(bytes), size);
  finish(submission);
}

void read_submission(Submission& submission, const SubmissionRules& rules,
                     const std::map<std::string, std::string>& texts) {
  const auto take = [&](SubmittedFile& file, const std::string& bytes) {
    take_bytes(file, rules, bytes, bytes.size());
    if (!file.refusal.empty()) return;
    take_own_headers(file, rules, [&](const std::string& name) -> std::optional<HeaderBytes> {
      const auto found = texts.find(name);
      if (found == texts.end()) return std::nullopt;
      return header_bytes(name, found->second);
    });
  };
  if (rules.several()) {
    submission.file = join(rules.files(), ", ");
    for (const std::string& name : rules.files()) {
      SubmittedFile& file = submission.files.emplace_back();
      file.file = name;
      const auto found = texts.find(name);
      if (found != texts.end()) {
        take(file, found->second);
      } else {
        file.refusal = missing_file(name, {});
      }
    }
    finish(submission);
    return;
  }
  std::vector<std::string> sources;
  for (const auto& [name, text] : texts) {
    if (name == rules.file || is_source_file(rules, name)) sources.push_back(name);
  }
  const bool exact = texts.contains(rules.file);
  if (!exact && sources.size() != 1) {
    submission.refusal =
        fmt::format("There is no file `{0}`. Hand in a file called `{0}`.", rules.file);
    return;
  }
  const std::string& name = exact ? rules.file : sources.front();
  submission.file = student_name(name);
  take(submission, texts.at(name));
  finish(submission);
}

std::string missing_file(const std::string& name, const std::string& others) {
  return others.empty()
             ? fmt::format("There is no file `{0}`. Hand in a file called `{0}`.", name)
             : fmt::format("There is no file `{0}`, only {1}. Hand in a file called `{0}`.", name,
                           others);
}

}  // namespace warpmark
