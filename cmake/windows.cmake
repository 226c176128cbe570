# What a build for Windows needs.  The compiler is GCC or Clang of mingw-w64: either variant
# for threads will do, since the library uses the threads of Windows.

# GCC does not align the stack of Windows for vectors of more than 16 bytes, but believes it
# has (GCC bug 54412).  The assembler can turn its aligned accesses into unaligned ones.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wa,-muse-unaligned-vector-move PETAL_HAS_UNALIGNED_MOVES)
if(PETAL_HAS_UNALIGNED_MOVES)
  target_compile_options(petal_flags INTERFACE -Wa,-muse-unaligned-vector-move)
elseif(CMAKE_C_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "petal: GCC for Windows needs an assembler that knows "
    "-muse-unaligned-vector-move: binutils 2.38 or newer")
endif()

# Two warnings are wrong here: isfinite() of mingw-w64 seems to convert to float, and formats
# are compared with those of Microsoft's printf().
target_compile_options(petal_flags INTERFACE -Wno-float-conversion -Wno-format)

# printf() as the standard has it; files of more than 2 GiB.
target_compile_definitions(petal_flags INTERFACE __USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64)

# The DLL exports what the headers declare as PETAL_API.
set(PETAL_EXPORTS ${PROJECT_BINARY_DIR}/petal.def)
set(exports "EXPORTS\n")
file(GLOB headers ${PROJECT_SOURCE_DIR}/include/*.h)
foreach(header ${headers})
  file(STRINGS ${header} lines REGEX "^PETAL_API.*\\(")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "petal_[a-z0-9_]+\\(" name "${line}")
    string(REPLACE "(" "" name "${name}")
    string(APPEND exports "    ${name}\n")
  endforeach()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
file(WRITE ${PETAL_EXPORTS}.new "${exports}")
configure_file(${PETAL_EXPORTS}.new ${PETAL_EXPORTS} COPYONLY)
