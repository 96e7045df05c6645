# hangstack_sources(VARIABLE FOLDER): all .cpp files below FOLDER.
function(hangstack_sources variable folder)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Debian 12 has no libfmt.a: the static build compiles fmt into each user.
if(HANGSTACK_STATIC)
  set(HANGSTACK_FMT fmt::fmt-header-only)
else()
  set(HANGSTACK_FMT fmt::fmt)
endif()

# hangstack_room(NAME [libraries as for target_link_libraries]): the static library of one top-level folder.
function(hangstack_room name)
  hangstack_sources(sources ${name})
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${HANGSTACK_FMT} tl::expected)
  if(ARGN)
    list(GET ARGN 0 first)
    if(first STREQUAL PRIVATE)
      target_link_libraries(${name} ${ARGN})
    else()
      target_link_libraries(${name} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()

# hangstack_embed(ROOM KIND GLOB...): the files as a table in the room (embed_pages.py).
function(hangstack_embed room kind)
  set(generated ${CMAKE_BINARY_DIR}/generated/${kind}_pages.cpp)
  file(GLOB pages CONFIGURE_DEPENDS ${ARGN})
  add_custom_command(OUTPUT ${generated} DEPENDS ${pages} ${CMAKE_SOURCE_DIR}/cmake/embed_pages.py
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/embed_pages.py ${kind} ${generated} ${pages})
  target_sources(${room} PRIVATE ${generated})
endfunction()
