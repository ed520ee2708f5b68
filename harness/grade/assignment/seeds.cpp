#include "grade/assignment/seeds.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hex.hpp"
#include "base/sha256.hpp"

namespace warpmark {

namespace {

constexpr size_t kBlock = 64;  // of SHA-256, in bytes

// A longer secret adds nothing, and a device that never ends is none.
constexpr size_t kMostSecretBytes = 4096;

constexpr const char* kHowToMakeOne =
    "make one with `head -c 32 /dev/urandom | base64 > secret`, keep it from students, and use the "
    "same one for every regrade";

std::string view_of(const std::array<uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Each field after its length, so that no two lists of fields make the same text.
std::string fields(const std::string_view purpose, const TrialName& of) {
  std::string text;
  const std::string trial = std::to_string(of.trial);
  for (const std::string_view field :
       {purpose, of.assignment, of.student, of.case_id, std::string_view(trial)}) {
    text += std::to_string(field.size());
    text += ':';
    text += field;
  }
  if (!of.submission_sha256.empty()) {
    text += std::to_string(of.submission_sha256.size());
    text += ':';
    text += of.submission_sha256;
  }
  return text;
}

uint64_t first_bytes(const std::array<uint8_t, 32>& digest) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value = value << 8 | digest[i];
  return value;
}

std::string read_all(int descriptor, const std::string& name) {
  std::string bytes;
  std::array<char, kMostSecretBytes + 1> chunk{};
  while (bytes.size() <= kMostSecretBytes) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(chunk.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw usage_error(
          fmt::format("cannot read the secret from {}: {}", name, std::strerror(errno)));
    }
  }
  throw usage_error(fmt::format("the secret in {} is longer than {} bytes", name, kMostSecretBytes),
                    {}, kHowToMakeOne);
}

}  // namespace

std::array<uint8_t, 32> hmac_sha256(std::string_view key, std::string_view message) {
  std::string block(key);
  if (block.size() > kBlock) block = view_of(Sha256().add(key).finish());
  block.resize(kBlock, '\0');
  std::string inner = block;
  std::string outer = block;
  for (char& byte : inner) byte = static_cast<char>(byte ^ 0x36);
  for (char& byte : outer) byte = static_cast<char>(byte ^ 0x5C);
  const std::string digest = view_of(Sha256().add(inner).add(message).finish());
  return Sha256().add(outer).add(digest).finish();
}

Secret::Secret(std::string bytes) : bytes_(std::move(bytes)) {
  // An editor or `echo` ends the file with a line break, and another does not.
  while (!bytes_.empty() && (bytes_.back() == '\n' || bytes_.back() == '\r')) bytes_.pop_back();
  if (bytes_.size() < kFewestBytes) {
    throw usage_error(bytes_.empty() ? std::string("the secret is empty")
                                     : fmt::format("the secret has {} bytes, and needs {} at least",
                                                   bytes_.size(), kFewestBytes),
                      {}, kHowToMakeOne);
  }
}

uint64_t Secret::seed(const TrialName& of) const {
  return first_bytes(hmac_sha256(bytes_, fields("warpmark seed 1", of)));
}

std::string Secret::fingerprint() const {
  return sha256_hex(view_of(hmac_sha256(bytes_, fields("warpmark fingerprint 1", {}))));
}

uint64_t public_seed(std::string_view assignment, std::string_view case_id, uint64_t trial,
                     std::string_view submission_sha256) {
  const TrialName of{assignment, "", case_id, trial, submission_sha256};
  return first_bytes(Sha256().add(fields("warpmark public seed 1", of)).finish());
}

std::string assignment_version(std::string_view secret, std::string_view assignment_sha256) {
  constexpr size_t kDigits = 16;
  const std::string digest =
      view_of(hmac_sha256(secret, fields("warpmark assignment 1", {assignment_sha256, "", ""})));
  return to_hex(digest).substr(0, kDigits);
}

ReadSecret read_secret(const std::filesystem::path& file) {
  const std::string name = display_path(file);
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    throw usage_error(fmt::format("cannot read the secret {}: {}", name, std::strerror(errno)), {},
                      kHowToMakeOne);
  }
  ReadSecret read{Secret(read_all(fd.get(), name)), {}};
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    read.warning = fmt::format("{} may be read by others: `chmod 600 {}`", name, name);
  }
  return read;
}

ReadSecret read_secret(int descriptor) {
  return {Secret(read_all(descriptor, fmt::format("descriptor {}", descriptor))), {}};
}

}  // namespace warpmark
