// The scripts that make shells ask `warpmark complete` for words.
#pragma once

namespace warpmark {

extern const char* const kBashCompletion;
extern const char* const kZshCompletion;
extern const char* const kFishCompletion;

}  // namespace warpmark
