#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#pragma message("the macro is K=" TEXT(N))
template <int K> struct hidden_value { static_assert(K == 64, "shown"); float two = 2; };
