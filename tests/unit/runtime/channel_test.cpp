#include "worker/channel.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <thread>

#include "base/error.hpp"
#include "base/shared_memory.hpp"

namespace warpmark {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

Channel::Deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

TEST(Channel, MessagesArriveWholeAndInOrder) {
  auto [a, b] = Channel::pair();
  const std::string big(3 << 20, 'x');  // more than a socket's buffer
  std::thread sender([&channel = a, &big] {
    channel.send({{"number", 1}, {"text", big}});
    channel.send({{"number", 2}});
  });
  const auto first = b.receive();
  const auto second = b.receive();
  sender.join();
  ASSERT_TRUE(first.message && second.message);
  EXPECT_EQ(first.message->body["text"].get<std::string>(), big);
  EXPECT_EQ(second.message->body["number"], 2);
}

TEST(Channel, DescriptorsTravelAndShareMemory) {
  auto [a, b] = Channel::pair();
  const SharedMemory memory = SharedMemory::create(8);
  ASSERT_TRUE(a.send({{"x", 1}}, {memory.fd(), memory.fd()}));
  auto received = b.receive();
  ASSERT_TRUE(received.message);
  ASSERT_EQ(received.message->fds.size(), 2U);
  SharedMemory other = SharedMemory::adopt(std::move(received.message->fds[0]));
  other.bytes()[3] = std::byte{42};
  EXPECT_EQ(memory.bytes()[3], std::byte{42});
}

TEST(Channel, ManyDescriptorsUpToTheLimit) {
  auto [a, b] = Channel::pair();
  const SharedMemory memory = SharedMemory::create(1);
  ASSERT_TRUE(a.send({{"x", 1}}, std::vector<int>(Channel::kMostFds, memory.fd())));
  EXPECT_EQ(b.receive().message->fds.size(), Channel::kMostFds);
  EXPECT_THROW(a.send({{"x", 1}}, std::vector<int>(Channel::kMostFds + 1, memory.fd())), Error);
}

TEST(Channel, TheEndsOfAConversation) {
  auto [a, b] = Channel::pair();
  EXPECT_EQ(b.receive(in(10ms)).end, ChannelEnd::timeout);
  const UniqueFd wake(::eventfd(1, EFD_CLOEXEC));
  EXPECT_EQ(b.receive(std::nullopt, wake.get()).end, ChannelEnd::woken);
  { const Channel gone = std::move(a); }
  EXPECT_EQ(b.receive().end, ChannelEnd::closed);
  EXPECT_FALSE(b.send({{"x", 1}})) << "no SIGPIPE either";
}

TEST(Channel, AFrameThatStopsHalfWayTimesOut) {
  auto [a, b] = Channel::pair();
  const std::array<uint32_t, 3> header = {0x314B5057, 100, 0};
  ASSERT_EQ(::send(a.fd(), header.data(), sizeof header, 0), ssize_t{sizeof header});
  EXPECT_EQ(b.receive(in(20ms)).end, ChannelEnd::timeout);
}

TEST(Channel, GarbageIsReported) {
  const auto end_of = [](const std::string& bytes) {
    auto [a, b] = Channel::pair();
    EXPECT_EQ(::send(a.fd(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return b.receive(in(1000ms)).end;
  };
  const auto frame = [](uint32_t magic, uint32_t length, uint32_t fds, const std::string& text) {
    const std::array<uint32_t, 3> header = {magic, length, fds};
    return std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + text;
  };
  EXPECT_EQ(end_of(frame(0x12345678, 2, 0, "{}")), ChannelEnd::garbage) << "wrong magic";
  EXPECT_EQ(end_of(frame(0x314B5057, 0xFFFFFFFF, 0, "")), ChannelEnd::garbage) << "too long";
  EXPECT_EQ(end_of(frame(0x314B5057, 3, 0, "{x}")), ChannelEnd::garbage) << "no JSON";
  EXPECT_EQ(end_of(frame(0x314B5057, 2, 0, "[]")), ChannelEnd::garbage) << "no object";
  EXPECT_EQ(end_of(frame(0x314B5057, 2, 1, "{}")), ChannelEnd::garbage) << "a missing descriptor";
}

TEST(Channel, TextThatIsNotUtf8IsReplaced) {
  auto [a, b] = Channel::pair();
  ASSERT_TRUE(a.send({{"log", "a\xFFz"}}));
  EXPECT_EQ(b.receive().message->body["log"], "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace warpmark
