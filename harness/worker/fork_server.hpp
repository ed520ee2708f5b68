// A process with a warm compiler that has seen no submission, and forks workers that see one each.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "worker/channel.hpp"

namespace warpmark {

/// A fork server is asked with a Hello for a confined compile worker, whose answer is DeviceFacts or
/// a Failure, and then for one worker after another: this, with that worker's end of a channel as
/// its descriptor.
nlohmann::json fork_request();

/// The answer: the worker's process, which by then is a child of the server's parent, a subreaper
/// (prctl(2)). The worker itself answers on its channel as if it had got the Hello.
nlohmann::json fork_answer(pid_t worker);
/// Nothing if it is no such answer.
std::optional<pid_t> forked_process(const nlohmann::json& answer);

/// Serves until the channel's end, which is descriptor kChannelDescriptor; never throws.
void serve_forks(Channel& channel);

}  // namespace warpmark
