// A wheel of Warpmark that students and workflows install: a file or an address, with its hash.
#pragma once

#include <filesystem>
#include <string>

namespace warpmark {

struct Wheel {
  std::string name;            ///< "warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl"
  std::string python;          ///< "3.12", the only version that can take it
  std::string platform;        ///< "manylinux_2_31_x86_64"
  std::filesystem::path file;  ///< "" for an address
  std::string address;         ///< "https://…/NAME#sha256=…"; "" for a file
  std::string sha256;
};

/// Reads a file, or an address "https://…/NAME.whl#sha256=HASH", which is not fetched. Throws a usage
/// error for what is no wheel of Warpmark, for an address without a hash, and for a wheel that only
/// the machine takes on which it was made, or another processor.
Wheel read_wheel(const std::string& text);

/// The system and Python that are to install a wheel.
struct WheelTarget {
  std::string name;    ///< "ubuntu-24.04"
  int glibc = 0;       ///< its minor version: 39 for 2.39
  std::string python;  ///< "3.12"
};

/// Throws a usage error that names both if the target's pip would refuse the wheel.
void require_fits(const Wheel& wheel, const WheelTarget& target);

/// The argument of pip for it: an address with the hash, which pip compares. `folder` has the wheel
/// if it is a file.
std::string pip_argument(const Wheel& wheel, const std::string& folder);

}  // namespace warpmark
