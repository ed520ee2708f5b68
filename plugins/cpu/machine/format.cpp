// The formatter of a device's printf: specifications, integers, and floating-point numbers.
#include "machine/format.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <system_error>

namespace warpmark::cpu {
namespace {

struct Specification {
  bool left = false, plus = false, blank = false, alternate = false, zeros = false;
  std::uint32_t width = 0;
  bool has_precision = false;
  std::uint32_t precision = 0;
  int size = 0;  ///< -2 hh, -1 h, 0 int, 1 for 64 bits
  char conversion = 0;
};

void to_upper(std::string& text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// `sign` (or a prefix such as 0x) stands before zeros, and behind blanks.
void pad(std::string& out, const Specification& spec, const std::string& sign,
         const std::string& body, bool zeros) {
  const std::size_t length = sign.size() + body.size();
  const std::size_t fill = spec.width > length ? spec.width - length : 0;
  if (!spec.left && !zeros) out.append(fill, ' ');
  out += sign;
  if (!spec.left && zeros) out.append(fill, '0');
  out += body;
  if (spec.left) out.append(fill, ' ');
}

std::string sign_of(const Specification& spec, bool negative) {
  return negative ? "-" : spec.plus ? "+" : spec.blank ? " " : "";
}

void format_integer(std::string& out, const Specification& spec, std::uint64_t bits) {
  const bool is_signed = spec.conversion == 'd' || spec.conversion == 'i';
  const int width = spec.size == -2 ? 8 : spec.size == -1 ? 16 : spec.size == 0 ? 32 : 64;
  if (width < 64) {
    bits &= (std::uint64_t{1} << width) - 1;
    if (is_signed && (bits >> (width - 1) & 1) != 0) bits |= ~std::uint64_t{0} << width;
  }
  const bool negative = is_signed && static_cast<std::int64_t>(bits) < 0;
  if (negative) bits = 0 - bits;
  const unsigned base = spec.conversion == 'o'                             ? 8
                        : spec.conversion == 'x' || spec.conversion == 'X' ? 16
                                                                           : 10;
  std::string digits;
  for (std::uint64_t rest = bits; rest != 0; rest /= base)
    digits += "0123456789abcdef"[rest % base];
  std::reverse(digits.begin(), digits.end());
  const std::size_t least = spec.has_precision ? spec.precision : 1;
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  if (spec.alternate && base == 8 && (digits.empty() || digits[0] != '0')) digits.insert(0, 1, '0');
  std::string prefix = is_signed ? sign_of(spec, negative) : "";
  if (spec.alternate && base == 16 && bits != 0) prefix += "0x";
  if (spec.conversion == 'X') {
    to_upper(digits);
    to_upper(prefix);
  }
  pad(out, spec, prefix, digits, spec.zeros && !spec.has_precision);
}

// A finite magnitude with `precision` digits behind the point.
std::string digits_of(double value, std::chars_format form, std::uint32_t precision) {
  // 309 digits stand before the point of the largest number, 5 in an exponent.
  std::string text(std::size_t{precision} + 330, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, form,
                                 static_cast<int>(precision));
  text.resize(end.ec == std::errc{} ? static_cast<std::size_t>(end.ptr - text.data()) : 0);
  return text;
}

// The digits of %g: those of %e or %f, whichever C asks for, without trailing zeros.
std::string general(const Specification& spec, double value) {
  std::uint32_t precision = spec.has_precision ? spec.precision : 6;
  if (precision == 0) precision = 1;
  std::string text = digits_of(value, std::chars_format::scientific, precision - 1);
  const std::size_t mark = text.find('e');
  const int exponent = std::atoi(text.c_str() + mark + 1);
  const bool fixed = exponent >= -4 && exponent < static_cast<int>(precision);
  std::string tail;
  if (fixed) {
    text = digits_of(value, std::chars_format::fixed,
                     static_cast<std::uint32_t>(static_cast<int>(precision) - 1 - exponent));
  } else {
    tail = text.substr(mark);
    text.resize(mark);
  }
  if (spec.alternate) {
    if (text.find('.') == std::string::npos) text += '.';
  } else if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + tail;
}

// The digits of %a behind 0x, as glibc writes them: one bit before the point, none for subnormals.
std::string hexadecimal_digits(const Specification& spec, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const auto raw = static_cast<int>(bits >> 52 & 0x7ff);
  int exponent = raw == 0 ? (fraction == 0 ? 0 : -1022) : raw - 1023;
  std::uint64_t lead = raw == 0 ? 0 : 1;
  std::uint32_t digits = 13;
  if (spec.has_precision && spec.precision < 13) {  // round to nearest, ties to even
    digits = spec.precision;
    const std::uint32_t drop = 52 - 4 * digits;
    std::uint64_t whole = lead << 52 | fraction;
    const std::uint64_t rest = whole & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    whole >>= drop;
    if (rest > half || (rest == half && (whole & 1) != 0)) ++whole;
    lead = whole >> (4 * digits);
    fraction = digits == 0 ? 0 : (whole << drop) & ((std::uint64_t{1} << 52) - 1);
  }
  std::string text;
  for (std::uint32_t i = 0; i < digits; ++i)
    text += "0123456789abcdef"[fraction >> (48 - 4 * i) & 0xf];
  if (!spec.has_precision) text.erase(text.find_last_not_of('0') + 1);
  if (spec.has_precision && spec.precision > 13) text.append(spec.precision - 13, '0');
  std::string out(1, static_cast<char>('0' + lead));
  if (!text.empty() || spec.alternate) out += '.';
  out += text + 'p' + (exponent < 0 ? '-' : '+');
  return out + std::to_string(exponent < 0 ? -exponent : exponent);
}

void format_real(std::string& out, const Specification& spec, std::uint64_t bits) {
  const bool negative = bits >> 63 != 0;
  const auto magnitude = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  const bool upper = spec.conversion >= 'A' && spec.conversion <= 'Z';
  const char kind = upper ? static_cast<char>(spec.conversion - 'A' + 'a') : spec.conversion;
  std::string sign = sign_of(spec, negative), body;
  const bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
  if (!finite) {
    body = (bits << 12) == 0 ? "inf" : "nan";
  } else if (kind == 'a') {
    sign += "0x";
    body = hexadecimal_digits(spec, magnitude);
  } else if (kind == 'g') {
    body = general(spec, magnitude);
  } else {
    const std::uint32_t precision = spec.has_precision ? spec.precision : 6;
    body =
        digits_of(magnitude, kind == 'f' ? std::chars_format::fixed : std::chars_format::scientific,
                  precision);
    if (spec.alternate && precision == 0) body.insert(std::min(body.find('e'), body.size()), ".");
  }
  if (upper) {
    to_upper(body);
    to_upper(sign);
  }
  pad(out, spec, sign, body, spec.zeros && finite);
}

// Reads what stands behind a '%'; false if it is no specification. `at` moves behind it.
bool parse(std::string_view format, std::size_t& at, FormatArguments& arguments,
           std::uint32_t& taken, Specification& spec) {
  const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  for (;; ++at) {
    const char c = peek();
    if (c == '-') {
      spec.left = true;
    } else if (c == '+') {
      spec.plus = true;
    } else if (c == ' ') {
      spec.blank = true;
    } else if (c == '#') {
      spec.alternate = true;
    } else if (c == '0') {
      spec.zeros = true;
    } else {
      break;
    }
  }
  bool negative = false;
  const auto number = [&]() -> std::uint32_t {
    negative = false;
    if (peek() == '*') {
      ++at;
      ++taken;
      const auto value = static_cast<std::int32_t>(arguments.next(4));
      negative = value < 0;
      const std::int64_t magnitude = negative ? -std::int64_t{value} : value;
      return static_cast<std::uint32_t>(std::min<std::int64_t>(magnitude, kMostFormatWidth));
    }
    std::uint32_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at)
      value = std::min(kMostFormatWidth, value * 10 + static_cast<std::uint32_t>(peek() - '0'));
    return value;
  };
  spec.width = number();
  spec.left = spec.left || negative;
  if (peek() == '.') {
    ++at;
    spec.precision = number();
    spec.has_precision = !negative;
  }
  for (;; ++at) {
    const char c = peek();
    if (c == 'h') {
      --spec.size;
    } else if (c == 'l' || c == 'j' || c == 'z' || c == 't' || c == 'L') {
      spec.size = 1;
    } else {
      break;
    }
  }
  spec.size = std::max(spec.size, -2);
  spec.conversion = peek();
  if (spec.conversion == '\0' ||
      std::string_view("csdiuoxXpfFeEgGaA%").find(spec.conversion) == std::string_view::npos)
    return false;
  ++at;
  return true;
}

}  // namespace

std::string format_text(std::string_view format, FormatArguments& arguments, std::uint32_t& taken) {
  std::string out;
  taken = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      const std::size_t next = std::min(format.find('%', at), format.size());
      out += format.substr(at, next - at);
      at = next;
      continue;
    }
    const std::size_t begin = at++;
    Specification spec;
    if (!parse(format, at, arguments, taken, spec)) {
      out += format.substr(begin, at - begin);
      continue;
    }
    if (spec.conversion == '%') {
      out += '%';
      continue;
    }
    ++taken;
    switch (spec.conversion) {
      case 'c':
        pad(out, spec, "", std::string(1, static_cast<char>(arguments.next(4))), false);
        break;
      case 's': {
        const std::size_t most = spec.has_precision ? spec.precision : std::string::npos;
        pad(out, spec, "", arguments.text(arguments.next(8), most), false);
        break;
      }
      case 'p': {
        spec.alternate = true;
        spec.size = 1;
        const std::uint64_t pointer = arguments.next(8);
        spec.conversion = 'x';
        if (pointer == 0) {
          pad(out, spec, "", "(nil)", false);
        } else {
          format_integer(out, spec, pointer);
        }
        break;
      }
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        format_integer(out, spec, arguments.next(spec.size == 1 ? 8 : 4));
        break;
      default:
        format_real(out, spec, arguments.next(8));
    }
  }
  return out;
}

}  // namespace warpmark::cpu
