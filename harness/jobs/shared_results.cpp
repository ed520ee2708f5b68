#include "jobs/shared_results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The age at which an unread result is too old: it may be of another round of a ctest that goes on
// for days.
constexpr int64_t kLongestNs = 600'000'000'000;

// The contents of a file whose case is run, or whose result was taken.
constexpr const char* kUsed = "\n";

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A clock that counts while the machine sleeps, and is never set back.
int64_t boot_clock() {
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return nanoseconds(now);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct SharingProcess {
  std::string name, start;  ///< the start is in clock ticks since boot
};

// Parses /proc/PID/stat: "PID (NAME) STATE …", where the start is the 22nd field (proc(5)).
std::optional<SharingProcess> look_at_process(const std::string& pid) {
  const std::string text = text_of(fs::path("/proc") / pid / "stat");
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  const std::vector<std::string> fields = split(std::string_view(text).substr(close + 1), ' ');
  constexpr size_t start = 20;  // counted from the space behind the name
  if (fields.size() <= start) return {};
  return SharingProcess{text.substr(open + 1, close - open - 1), fields[start]};
}

// Removes folders of dead processes; they are called PID-START-HASH.
void remove_dead(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::vector<std::string> parts = split(entry->path().filename().string(), '-');
    if (parts.size() != 3) continue;
    const auto process = look_at_process(parts[0]);
    std::error_code ignored;
    if (!process || process->start != parts[1]) fs::remove_all(entry->path(), ignored);
  }
}

Error shared_error(std::string_view what, const fs::path& file) {
  return environment_error(
      fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)));
}

nlohmann::json stamp_json(const FileStamp& stamp) {
  return {stamp.file, stamp.device, stamp.inode, stamp.bytes, stamp.modified_ns, stamp.changed_ns};
}

bool is_unchanged(const nlohmann::json& stamp) {
  const auto now = FileStamp::of(stamp.at(0).get<std::string>());
  return now && stamp_json(*now) == stamp;
}

}  // namespace

std::optional<FileStamp> FileStamp::of(const fs::path& file) {
  struct stat found = {};
  std::error_code error;
  FileStamp stamp;
  stamp.file = fs::absolute(file, error).lexically_normal().string();
  if (error || ::stat(stamp.file.c_str(), &found) != 0) return {};
  stamp.device = found.st_dev;
  stamp.inode = found.st_ino;
  stamp.bytes = static_cast<uint64_t>(found.st_size);
  stamp.modified_ns = nanoseconds(found.st_mtim);
  stamp.changed_ns = nanoseconds(found.st_ctim);
  return stamp;
}

std::optional<SharedResults> SharedResults::of_ctest(const fs::path& folder,
                                                     const std::vector<std::string>& key) {
  const std::string parent = std::to_string(::getppid());
  const auto process = look_at_process(parent);
  if (!process || !process->name.starts_with("ctest")) return {};
  Sha256 hash;
  hash.add_field(text_of("/proc/sys/kernel/random/boot_id"));
  for (const std::string& part : key) hash.add_field(part);
  SharedResults results(
      folder / fmt::format("{}-{}-{}", parent, process->start, hash.finish_hex().substr(0, 16)));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw environment_error("cannot make " + folder.string() + ": " + error.message());
  results.first_ = ::mkdir(results.folder_.c_str(), S_IRWXU) == 0;
  if (!results.first_ && errno != EEXIST) throw shared_error("make", results.folder_);
  if (results.first_) remove_dead(folder);
  return results;
}

std::optional<SharedCase> SharedResults::hold(const std::string& id, int flags) const {
  const fs::path name = folder_ / (sha256_hex(id).substr(0, 32) + ".result");
  UniqueFd file(::open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) throw shared_error("open", name);
  while (::flock(file.get(), LOCK_EX | flags) != 0) {
    if (errno == EWOULDBLOCK) return {};
    if (errno != EINTR) throw shared_error("lock", name);
  }
  return SharedCase(std::move(file), id);
}

SharedCase SharedResults::await(const std::string& id) const {
  return hold(id, 0).value();
}

std::optional<SharedCase> SharedResults::try_hold(const std::string& id) const {
  return hold(id, LOCK_NB);
}

// A file that somebody had is not empty.
SharedCase::SharedCase(UniqueFd file, std::string id) : file_(std::move(file)), id_(std::move(id)) {
  struct stat found = {};
  new_ = ::fstat(file_.get(), &found) == 0 && found.st_size == 0;
  if (new_) write(kUsed);
}

SharedCase::~SharedCase() {
  if (file_) ::flock(file_.get(), LOCK_UN);
}

void SharedCase::write(const std::string& text) {
  const bool written =
      ::ftruncate(file_.get(), 0) == 0 &&
      ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written) throw shared_error("write the result of", id_);
}

void SharedCase::put(const nlohmann::json& result, const std::vector<FileStamp>& inputs) {
  nlohmann::json stamps = nlohmann::json::array();
  for (const FileStamp& stamp : inputs) stamps.push_back(stamp_json(stamp));
  const nlohmann::json record = {
      {"case", id_}, {"made_ns", boot_clock()}, {"inputs", std::move(stamps)}, {"result", result}};
  write(json_line(record));
}

std::optional<nlohmann::json> SharedCase::take() {
  const std::string text = text_of(fmt::format("/proc/self/fd/{}", file_.get()));
  write(kUsed);
  try {
    const nlohmann::json record = try_parse_json(text);
    const nlohmann::json& inputs = record.at("inputs");
    const int64_t age = boot_clock() - record.at("made_ns").get<int64_t>();
    if (record.at("case") != id_ || age < 0 || age > kLongestNs || inputs.empty()) return {};
    for (const nlohmann::json& stamp : inputs) {
      if (!is_unchanged(stamp)) return {};
    }
    return record.at("result");
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace warpmark
