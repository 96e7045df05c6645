// A function that stays in vfork for as long as somebody holds the other end of the pipe `descriptor` open.

#include <unistd.h>

int wait_in_vfork(int descriptor) {
  pid_t child = vfork();
  if (child == 0) {
    // The child uses its parent's memory and stack: it must not leave this function.
    char byte;
    while (read(descriptor, &byte, 1) > 0) {
    }
    _exit(0);
  }
  return child;
}
