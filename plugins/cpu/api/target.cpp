// Which PTX the device takes: versions, targets, architecture- and family-specific ones.
#include "api/target.hpp"

#include <charconv>

#include "api/state.hpp"
#include "ptx/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

std::uint32_t device_architecture() {
  const DeviceProperties& device = driver().properties;
  return static_cast<std::uint32_t>(device.major * 10 + device.minor);
}

std::string with_point(std::uint32_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// "9.0" as 90; 0 for what the parser will refuse.
std::uint32_t version_in(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > 3 || text.size() != dot + 2) return 0;
  std::uint32_t version = 0;
  for (const char digit : text) {
    if (digit == '.') continue;
    if (digit < '0' || digit > '9') return 0;
    version = version * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return version;
}

}  // namespace

PtxHeader header_of(std::string_view text) {
  PtxHeader header;
  try {
    Lexer lexer(text);
    Token token = lexer.next();
    if (!token.is(".version")) return header;
    token = lexer.next();
    header.version_line = token.line;
    if (token.kind == TokenKind::real) header.version = version_in(token.text);
    token = lexer.next();
    if (!token.is(".target")) return header;
    token = lexer.next();
    header.target_line = token.line;
    if (token.kind == TokenKind::word) header.target = token.text;
  } catch (const PtxError&) {  // NOLINT(bugprone-empty-catch): the parser reports it
  }
  return header;
}

std::uint32_t architecture_of(std::string_view target) {
  const std::size_t mark = target.find('_');
  if (mark == std::string_view::npos) return 0;
  const char* begin = target.data() + mark + 1;
  const char* end = target.data() + target.size();
  std::uint32_t number = 0;
  const auto [behind, error] = std::from_chars(begin, end, number);
  const bool suffix = behind + 1 == end && (*behind == 'a' || *behind == 'f');
  return error == std::errc() && number < 1000 && (behind == end || suffix) ? number : 0;
}

bool runs_here(std::string_view target) {
  const std::uint32_t wanted = architecture_of(target), device = device_architecture();
  if (target.ends_with('a')) return wanted == device;
  if (target.ends_with('f')) return wanted / 10 == device / 10 && wanted <= device;
  return wanted <= device;
}

std::string device_capability() {
  return with_point(device_architecture());
}

CUresult refuse_target(std::string_view text) {
  const PtxHeader header = header_of(text);
  const DeviceProperties& device = driver().properties;
  if (device.newest_ptx != 0 && header.version > device.newest_ptx)
    return fail(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                "PTX line " + std::to_string(header.version_line) + ": .version " +
                    with_point(header.version) + " is beyond " + with_point(device.newest_ptx) +
                    ", the newest of a driver for CUDA " +
                    std::to_string(device.driver_version / 1000) + "." +
                    std::to_string(device.driver_version % 1000 / 10));
  if (header.target.empty() || runs_here(header.target)) return CUDA_SUCCESS;
  const std::uint32_t architecture = architecture_of(header.target);
  if (!is_architecture(architecture)) return CUDA_SUCCESS;  // the parser says what is wrong with it
  const std::string where = header.target.ends_with('a')
                                ? "runs on compute capability " + with_point(architecture) + " only"
                            : header.target.ends_with('f')
                                ? "runs on compute capability " + with_point(architecture) +
                                      " and later ones of its family"
                                : "needs compute capability " + with_point(architecture);
  return fail(CUDA_ERROR_INVALID_PTX, "PTX line " + std::to_string(header.target_line) +
                                          ": code for " + header.target + " " + where +
                                          "; this device has " + device_capability());
}

}  // namespace warpmark::cpu
