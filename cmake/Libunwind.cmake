# libunwind::remote: libunwind for another process's registers and memory (UNW_REMOTE), without its ptrace back end.
find_path(LIBUNWIND_INCLUDE libunwind-x86_64.h REQUIRED)
if(HANGSTACK_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
find_library(LIBUNWIND_GENERIC unwind-x86_64 REQUIRED)
add_library(libunwind::remote INTERFACE IMPORTED)
target_include_directories(libunwind::remote INTERFACE ${LIBUNWIND_INCLUDE})
target_link_libraries(libunwind::remote INTERFACE ${LIBUNWIND_GENERIC})
if(HANGSTACK_STATIC)
  # libunwind.a has the function that goes on in a frame of the own process, but also _Unwind_Resume, as libgcc_eh has:
  # nothing here goes on in a frame.
  target_link_options(libunwind::remote INTERFACE -Wl,--defsym=_Ux86_64_setcontext=abort)
  find_library(LZMA_STATIC lzma REQUIRED)
  target_link_libraries(libunwind::remote INTERFACE ${LZMA_STATIC})
endif()
