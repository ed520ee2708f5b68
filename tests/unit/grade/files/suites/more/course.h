#define COURSE 2
