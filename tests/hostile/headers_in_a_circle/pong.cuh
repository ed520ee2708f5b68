#include "ping.cuh"
