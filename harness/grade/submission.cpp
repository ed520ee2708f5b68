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

// `size` is that of the file, of which `bytes` may have a part alone.
void take_bytes(Submission& submission, const SubmissionRules& rules, std::string bytes,
                uint64_t size) {
  const std::string file = printable(submission.file);
  if (bytes.size() > rules.max_bytes) {
    submission.refusal = fmt::format(
        "`{}` has {}, and no more than {} are accepted. A kernel needs less: hand in its source "
        "alone, without data.",
        file, format_bytes(std::max<uint64_t>(size, bytes.size())), format_bytes(rules.max_bytes));
    return;
  }
  submission.sha256 = sha256_hex(bytes);
  submission.refusal = refusal_of(bytes, file);
  if (!submission.refusal.empty()) return;
  // In front of the file comes text of ours, and a mark in the middle of a text is a character.
  if (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  submission.text = std::move(bytes);
}

}  // namespace

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
  read_submission(submission, rules, fd.get());
}

void read_submission(Submission& submission, const SubmissionRules& rules, int descriptor) {
  const std::string file = printable(submission.file);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) status.st_size = 0;
  std::string bytes;
  if (const int code = read_up_to(descriptor, rules.max_bytes, bytes); code != 0) {
    submission.refusal = fmt::format("`{}` cannot be read. Ask the course's staff.", file);
    submission.note = std::strerror(code);
    return;
  }
  take_bytes(submission, rules, std::move(bytes), static_cast<uint64_t>(status.st_size));
}

void read_submission(Submission& submission, const SubmissionRules& rules, std::string bytes) {
  const uint64_t size = bytes.size();
  take_bytes(submission, rules, std::move(bytes), size);
}

}  // namespace warpmark
