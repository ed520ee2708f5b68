// Seeds that no student can guess: HMAC-SHA256 of a secret over the name of a trial.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace warpmark {

/// RFC 2104 with SHA-256, as RFC 4231 tests it.
std::array<uint8_t, 32> hmac_sha256(std::string_view key, std::string_view message);

/// The identity of one trial, for its seed.
struct TrialName {
  std::string_view assignment;  ///< its id
  std::string_view student;
  std::string_view case_id;  ///< id of the suite's case
  uint64_t trial = 0;
  /// Hash of the submitted file, for the trial that no other file gets; "" for a trial that every
  /// file of the student gets.
  std::string_view submission_sha256 = {};
};

/// The course's secret. Anyone who knows it knows every input that a submission is tried on.
class Secret {
 public:
  static constexpr size_t kFewestBytes = 16;

  /// Takes the bytes without the line breaks at their end. Throws a usage error for fewer than
  /// kFewestBytes.
  explicit Secret(std::string bytes);

  /// The first eight bytes, most significant first, of the HMAC over the fields in order, each
  /// after its length; an empty hash of the file is left out.
  uint64_t seed(const TrialName& of) const;

  /// Distinguishes two secrets without revealing either, in 64 hexadecimal digits. Short secrets
  /// that people made up can be found by trying them.
  std::string fingerprint() const;

  /// For the processes that grade.
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// The seed of a trial without a secret, for the student's own runs, so that a failure is the same
/// on any machine. The student's name does not count.
uint64_t public_seed(std::string_view assignment, std::string_view case_id, uint64_t trial,
                     std::string_view submission_sha256 = {});

/// The name of an assignment's version on receipts: 16 hexadecimal digits of an HMAC over its hash,
/// so that people without the secret can tell two versions apart, but cannot check a guess of the
/// contents.
std::string assignment_version(std::string_view secret, std::string_view assignment_sha256);

struct ReadSecret {
  Secret secret;
  std::string warning;  ///< warning that other users can read the file; "" if not
};

/// Throws a usage error, with what to do, for a file that cannot be read, or holds no secret.
ReadSecret read_secret(const std::filesystem::path& file);
/// The same from a descriptor, until its end.
ReadSecret read_secret(int descriptor);

}  // namespace warpmark
