#include "report/run/junit_file.hpp"

#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "report/run/junit_part.hpp"

namespace warpmark {

JunitFile::JunitFile(std::filesystem::path file, std::optional<ShardContext> shard, bool part)
    : file_(std::move(file)), shard_(std::move(shard)), part_(part || shard_) {
  require_writable(file_);
  std::error_code code;
  special_ = std::filesystem::exists(file_, code) && !std::filesystem::is_regular_file(file_, code);
  has_draft_ = !special_;
}

void JunitFile::write(const std::string& error) const {
  JunitDocument whole = document_;
  if (!error.empty()) whole.add_own("run", JunitCase::Result::error, error);
  const std::string comment = part_ ? junit_part_comment(whole, shard_) : "";
  write_file_atomically(file_, junit_text(whole, comment));
}

void JunitFile::write_draft() {
  if (!has_draft_) return;
  drafts_.spend([this] {
    try {
      write("the run did not come to its end");
    } catch (const Error&) {
      has_draft_ = false;  // the report itself will say why, at its end
    }
  });
}

void JunitFile::add(const std::string& suite, JunitCase ended) {
  document_.suite(suite).cases.push_back(std::move(ended));
  write_draft();
}

void JunitFile::publish(const std::string& error) {
  if (std::exchange(published_, true) && special_) return;
  write(error);
}

}  // namespace warpmark
