#include <clBLAS.h>

/* Every function has exactly the listed type, and is in the library. */
#define QUEUES cl_uint, cl_command_queue*, cl_uint, const cl_event*, cl_event*
#define SIGNATURE(name, result, parameters) result(*const is_##name) parameters = name;
#include "signatures.inc"
