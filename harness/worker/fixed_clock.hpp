// The time of day as a compiler asks for it: stopped where __TIME__ must not reveal it.
#pragma once

namespace warpmark {

/// From now on time() of this process is 0, the beginning of 1970, in UTC, for libraries that are
/// opened late, too. There is no way back. To be called while there are no other threads.
void fix_clock();

}  // namespace warpmark
