#define COURSE 1
