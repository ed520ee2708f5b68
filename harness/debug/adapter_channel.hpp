// Messages of the Debug Adapter Protocol on two descriptors.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

namespace warpmark::debugging {

/// Reads in a thread of its own, so that a message arrives while a launch runs on. Anything odd is
/// the end, as a client that has left is.
class AdapterChannel {
 public:
  AdapterChannel(int input, int output);
  AdapterChannel(const AdapterChannel&) = delete;
  AdapterChannel& operator=(const AdapterChannel&) = delete;
  ~AdapterChannel();

  /// The next request; nothing at the end.
  std::optional<nlohmann::json> wait();
  /// The same without waiting: nothing if there is none now. `over` tells the end.
  std::optional<nlohmann::json> poll(bool& over);
  /// `arrived` is called in the reading thread when a request, or the end, is there.
  void on_arrival(std::function<void()> arrived);

  void event(const std::string& name, const nlohmann::json& body = nlohmann::json::object());
  void respond(const nlohmann::json& request,
               const nlohmann::json& body = nlohmann::json::object());
  void refuse(const nlohmann::json& request, const std::string& why);

 private:
  void read();
  bool read_message(std::string& pending, nlohmann::json& message) const;
  void send(nlohmann::json message);

  int input_, output_;
  int wake_[2] = {-1, -1};
  std::mutex mutex_, sending_;
  std::condition_variable arrival_;
  std::deque<nlohmann::json> requests_;
  bool over_ = false;
  std::function<void()> arrived_;
  int sequence_ = 0;
  std::thread reader_;
};

/// Why a request's arguments are refused, in words for people.
std::string wrong_arguments(const nlohmann::json::exception& error);

}  // namespace warpmark::debugging
