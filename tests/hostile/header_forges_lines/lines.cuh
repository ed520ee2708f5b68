#line 1 "/etc/passwd"
static __device__ int from_passwd = undeclared_1;
#line 1 "suite/twice.yaml"
static __device__ int from_suite = undeclared_2;
