// For the libraries of the layer that are written in C++. Programs call OpenCL after the
// destructors of static objects have run, and so call these libraries: nothing in them is
// destroyed. That it should be is registered by this function, which is theirs alone.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*);
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
