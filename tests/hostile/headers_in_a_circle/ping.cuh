#include "pong.cuh"
