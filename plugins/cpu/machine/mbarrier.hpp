// The state of an mbarrier object, and what happens to it.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

/// An mbarrier of PTX: 8 bytes of shared memory (PTX ISA, "Parallel Synchronization and
/// Communication Instructions: mbarrier"). Its layout belongs to the device, and programs may not
/// look into it: from bit 0 the arrivals that each phase expects (20 bits), those that are still
/// missing (20), the bytes of asynchronous copies that are still missing (21, two's complement),
/// at bit 61 its layout, 0 or 1, and at bit 63 the parity of the current phase.
class Mbarrier {
 public:
  static constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

  explicit Mbarrier(std::uint64_t state) : state_(state) {}
  static Mbarrier initial(std::uint32_t count, std::uint64_t layout) {
    const std::uint64_t kept = count & kMostArrivals;
    return Mbarrier(kept | kept << 20 | layout << 61);
  }

  [[nodiscard]] std::uint64_t state() const { return state_; }
  [[nodiscard]] std::uint32_t expected() const { return field(0); }
  [[nodiscard]] std::uint64_t layout() const { return state_ >> 61 & 1; }
  [[nodiscard]] std::uint32_t pending() const { return field(20); }
  /// Bytes of copies that are still missing; negative if more have come than were expected.
  [[nodiscard]] std::int32_t missing_bytes() const {
    const auto bytes = static_cast<std::int32_t>(bytes_missing());
    return bytes_missing() > kBytesMask / 2 ? bytes - static_cast<std::int32_t>(kBytesMask) - 1
                                            : bytes;
  }
  [[nodiscard]] std::uint32_t parity() const { return static_cast<std::uint32_t>(state_ >> 63); }

  /// More arrivals than are missing are undefined in PTX; here they are as many as are missing.
  void arrive(std::uint32_t count) {
    set(20, count < pending() ? pending() - count : 0);
    complete_phase();
  }
  /// Arrives, and is expected no more in later phases.
  void drop(std::uint32_t count) {
    set(0, count < expected() ? expected() - count : 0);
    arrive(count);
  }
  /// One more arrival is missing in this phase: of copies that arrive when they are done.
  void expect_arrival() { set(20, pending() + 1); }
  void expect_bytes(std::uint32_t bytes) { set_bytes(bytes_missing() + bytes); }
  void complete_bytes(std::uint32_t bytes) {
    set_bytes(bytes_missing() - bytes);
    complete_phase();
  }

 private:
  static constexpr std::uint64_t kBytesMask = (std::uint64_t{1} << 21) - 1;

  [[nodiscard]] std::uint32_t field(int shift) const {
    return static_cast<std::uint32_t>(state_ >> shift) & kMostArrivals;
  }
  void set(int shift, std::uint32_t value) {
    state_ &= ~(std::uint64_t{kMostArrivals} << shift);
    state_ |= std::uint64_t{value & kMostArrivals} << shift;
  }
  [[nodiscard]] std::uint64_t bytes_missing() const { return state_ >> 40 & kBytesMask; }
  void set_bytes(std::uint64_t bytes) {
    state_ &= ~(kBytesMask << 40);
    state_ |= (bytes & kBytesMask) << 40;
  }
  void complete_phase() {
    if (pending() != 0 || bytes_missing() != 0) return;
    set(20, expected());
    state_ ^= std::uint64_t{1} << 63;
  }

  std::uint64_t state_;
};

}  // namespace warpmark::cpu
