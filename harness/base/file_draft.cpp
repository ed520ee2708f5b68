#include "base/file_draft.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace warpmark {

namespace fs = std::filesystem;

FileDraft::FileDraft(fs::path path) : path_(std::move(path)) {
  const int missing = make_folder_of(path_);
  std::string temporary = path_.string() + ".XXXXXX";
  fd_ = UniqueFd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd_) throw failure(errno == ENOENT && missing != 0 ? missing : errno);
  draft_ = std::move(temporary);
}

FileDraft::~FileDraft() {
  if (!draft_.empty()) ::unlink(draft_.c_str());
}

void FileDraft::keep() {
  // mkostemp makes the file private; results are to be read by others as far as the umask allows.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_.get(), 0666 & ~mask);
  if (::close(fd_.release()) != 0) throw failure(errno);
  if (::rename(draft_.c_str(), path_.c_str()) != 0) throw failure(errno);
  draft_.clear();
}

Error FileDraft::failure(int code) const {
  return environment_error("cannot write " + display_path(path_) + ": " + std::strerror(code));
}

}  // namespace warpmark
