/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_types.h - the predefined datatypes and operators of mpi.h, for it and for the library, which
 * define their objects. Included by mpi.h alone. */
#ifndef EYOT_MPI_TYPES_H
#define EYOT_MPI_TYPES_H

/* X(name, C's type, eyot's type of reductions; EYOT_USER: there are none). MPI_C_DOUBLE_COMPLEX and
 * the like have twice the size of the real type, since C++ has no _Complex. */
#define EYOT_MPI_TYPES(X)                                            \
  X(CHAR, char, EYOT_USER)                                           \
  X(SIGNED_CHAR, signed char, EYOT_INT8)                             \
  X(UNSIGNED_CHAR, unsigned char, EYOT_UINT8)                        \
  X(BYTE, unsigned char, EYOT_BYTE)                                  \
  X(PACKED, unsigned char, EYOT_USER)                                \
  X(SHORT, short, EYOT_INT16)                                        \
  X(UNSIGNED_SHORT, unsigned short, EYOT_UINT16)                     \
  X(INT, int, EYOT_INT32)                                            \
  X(UNSIGNED, unsigned, EYOT_UINT32)                                 \
  X(LONG, long, EYOT_INT64)                                          \
  X(UNSIGNED_LONG, unsigned long, EYOT_UINT64)                       \
  X(LONG_LONG, long long, EYOT_INT64)                                \
  X(UNSIGNED_LONG_LONG, long long, EYOT_UINT64)                      \
  X(FLOAT, float, EYOT_FLOAT)                                        \
  X(DOUBLE, double, EYOT_DOUBLE)                                     \
  X(LONG_DOUBLE, long double, EYOT_LONG_DOUBLE)                      \
  X(WCHAR, int, EYOT_USER)                                           \
  X(C_BOOL, unsigned char, EYOT_UINT8)                               \
  X(INT8_T, int8_t, EYOT_INT8)                                       \
  X(UINT8_T, uint8_t, EYOT_UINT8)                                    \
  X(INT16_T, int16_t, EYOT_INT16)                                    \
  X(UINT16_T, uint16_t, EYOT_UINT16)                                 \
  X(INT32_T, int32_t, EYOT_INT32)                                    \
  X(UINT32_T, uint32_t, EYOT_UINT32)                                 \
  X(INT64_T, int64_t, EYOT_INT64)                                    \
  X(UINT64_T, uint64_t, EYOT_UINT64)                                 \
  X(AINT, int64_t, EYOT_INT64)                                       \
  X(COUNT, int64_t, EYOT_INT64)                                      \
  X(OFFSET, int64_t, EYOT_INT64)                                     \
  X(C_FLOAT_COMPLEX, float[2], EYOT_FLOAT_COMPLEX)                   \
  X(C_DOUBLE_COMPLEX, double[2], EYOT_DOUBLE_COMPLEX)                \
  X(C_LONG_DOUBLE_COMPLEX, long double[2], EYOT_LONG_DOUBLE_COMPLEX) \
  X(2INT, int[2], EYOT_INT32_INDEX)                                  \
  X(FLOAT_INT, float[2], EYOT_FLOAT_INDEX)                           \
  EYOT_MPI_OTHERS(X)
/* The types of C++, and of Fortran with values of its default sizes. */
#define EYOT_MPI_OTHERS(X)                                             \
  X(CXX_BOOL, unsigned char, EYOT_UINT8)                               \
  X(CXX_FLOAT_COMPLEX, float[2], EYOT_FLOAT_COMPLEX)                   \
  X(CXX_DOUBLE_COMPLEX, double[2], EYOT_DOUBLE_COMPLEX)                \
  X(CXX_LONG_DOUBLE_COMPLEX, long double[2], EYOT_LONG_DOUBLE_COMPLEX) \
  X(INTEGER, int, EYOT_INT32)                                          \
  X(REAL, float, EYOT_FLOAT)                                           \
  X(DOUBLE_PRECISION, double, EYOT_DOUBLE)                             \
  X(COMPLEX, float[2], EYOT_FLOAT_COMPLEX)                             \
  X(DOUBLE_COMPLEX, double[2], EYOT_DOUBLE_COMPLEX)                    \
  X(LOGICAL, int, EYOT_INT32)                                          \
  X(CHARACTER, char, EYOT_USER)                                        \
  X(INTEGER1, int8_t, EYOT_INT8)                                       \
  X(INTEGER2, int16_t, EYOT_INT16)                                     \
  X(INTEGER4, int32_t, EYOT_INT32)                                     \
  X(INTEGER8, int64_t, EYOT_INT64)                                     \
  X(REAL4, float, EYOT_FLOAT)                                          \
  X(REAL8, double, EYOT_DOUBLE)                                        \
  X(COMPLEX8, float[2], EYOT_FLOAT_COMPLEX)                            \
  X(COMPLEX16, double[2], EYOT_DOUBLE_COMPLEX)                         \
  X(2INTEGER, int[2], EYOT_INT32_INDEX)

/* Pairs of MINLOC and MAXLOC that eyot has no type for, X(name, C's type of the value). */
#define EYOT_MPI_PAIRS(X) \
  X(DOUBLE_INT, double) X(LONG_INT, long) X(SHORT_INT, short) X(LONG_DOUBLE_INT, long double)

#define MPI_CHAR (&eyot_mpi_type_CHAR)
#define MPI_SIGNED_CHAR (&eyot_mpi_type_SIGNED_CHAR)
#define MPI_UNSIGNED_CHAR (&eyot_mpi_type_UNSIGNED_CHAR)
#define MPI_BYTE (&eyot_mpi_type_BYTE)
#define MPI_PACKED (&eyot_mpi_type_PACKED)
#define MPI_SHORT (&eyot_mpi_type_SHORT)
#define MPI_UNSIGNED_SHORT (&eyot_mpi_type_UNSIGNED_SHORT)
#define MPI_INT (&eyot_mpi_type_INT)
#define MPI_UNSIGNED (&eyot_mpi_type_UNSIGNED)
#define MPI_LONG (&eyot_mpi_type_LONG)
#define MPI_UNSIGNED_LONG (&eyot_mpi_type_UNSIGNED_LONG)
#define MPI_LONG_LONG (&eyot_mpi_type_LONG_LONG)
#define MPI_UNSIGNED_LONG_LONG (&eyot_mpi_type_UNSIGNED_LONG_LONG)
#define MPI_FLOAT (&eyot_mpi_type_FLOAT)
#define MPI_DOUBLE (&eyot_mpi_type_DOUBLE)
#define MPI_LONG_DOUBLE (&eyot_mpi_type_LONG_DOUBLE)
#define MPI_WCHAR (&eyot_mpi_type_WCHAR)
#define MPI_C_BOOL (&eyot_mpi_type_C_BOOL)
#define MPI_INT8_T (&eyot_mpi_type_INT8_T)
#define MPI_UINT8_T (&eyot_mpi_type_UINT8_T)
#define MPI_INT16_T (&eyot_mpi_type_INT16_T)
#define MPI_UINT16_T (&eyot_mpi_type_UINT16_T)
#define MPI_INT32_T (&eyot_mpi_type_INT32_T)
#define MPI_UINT32_T (&eyot_mpi_type_UINT32_T)
#define MPI_INT64_T (&eyot_mpi_type_INT64_T)
#define MPI_UINT64_T (&eyot_mpi_type_UINT64_T)
#define MPI_AINT (&eyot_mpi_type_AINT)
#define MPI_COUNT (&eyot_mpi_type_COUNT)
#define MPI_OFFSET (&eyot_mpi_type_OFFSET)
#define MPI_C_FLOAT_COMPLEX (&eyot_mpi_type_C_FLOAT_COMPLEX)
#define MPI_C_DOUBLE_COMPLEX (&eyot_mpi_type_C_DOUBLE_COMPLEX)
#define MPI_2INT (&eyot_mpi_type_2INT)
#define MPI_FLOAT_INT (&eyot_mpi_type_FLOAT_INT)
#define MPI_DOUBLE_INT (&eyot_mpi_type_DOUBLE_INT)
#define MPI_LONG_INT (&eyot_mpi_type_LONG_INT)
#define MPI_SHORT_INT (&eyot_mpi_type_SHORT_INT)
#define MPI_LONG_DOUBLE_INT (&eyot_mpi_type_LONG_DOUBLE_INT)
#define MPI_CXX_BOOL (&eyot_mpi_type_CXX_BOOL)
#define MPI_CXX_FLOAT_COMPLEX (&eyot_mpi_type_CXX_FLOAT_COMPLEX)
#define MPI_CXX_DOUBLE_COMPLEX (&eyot_mpi_type_CXX_DOUBLE_COMPLEX)
#define MPI_INTEGER (&eyot_mpi_type_INTEGER)
#define MPI_REAL (&eyot_mpi_type_REAL)
#define MPI_DOUBLE_PRECISION (&eyot_mpi_type_DOUBLE_PRECISION)
#define MPI_COMPLEX (&eyot_mpi_type_COMPLEX)
#define MPI_DOUBLE_COMPLEX (&eyot_mpi_type_DOUBLE_COMPLEX)
#define MPI_LOGICAL (&eyot_mpi_type_LOGICAL)
#define MPI_CHARACTER (&eyot_mpi_type_CHARACTER)
#define MPI_INTEGER1 (&eyot_mpi_type_INTEGER1)
#define MPI_INTEGER2 (&eyot_mpi_type_INTEGER2)
#define MPI_INTEGER4 (&eyot_mpi_type_INTEGER4)
#define MPI_INTEGER8 (&eyot_mpi_type_INTEGER8)
#define MPI_REAL4 (&eyot_mpi_type_REAL4)
#define MPI_REAL8 (&eyot_mpi_type_REAL8)
#define MPI_COMPLEX8 (&eyot_mpi_type_COMPLEX8)
#define MPI_COMPLEX16 (&eyot_mpi_type_COMPLEX16)
#define MPI_2INTEGER (&eyot_mpi_type_2INTEGER)
#define MPI_C_LONG_DOUBLE_COMPLEX (&eyot_mpi_type_C_LONG_DOUBLE_COMPLEX)
#define MPI_CXX_LONG_DOUBLE_COMPLEX (&eyot_mpi_type_CXX_LONG_DOUBLE_COMPLEX)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX

/* Operators, X(name): EYOT_name is eyot's. */
#define EYOT_MPI_OPS(X) \
  X(SUM) X(PROD) X(MIN) X(MAX) X(BAND) X(BOR) X(BXOR) X(LAND) X(LOR) X(LXOR) X(MINLOC) X(MAXLOC)
#define MPI_SUM (&eyot_mpi_op_SUM)
#define MPI_PROD (&eyot_mpi_op_PROD)
#define MPI_MIN (&eyot_mpi_op_MIN)
#define MPI_MAX (&eyot_mpi_op_MAX)
#define MPI_BAND (&eyot_mpi_op_BAND)
#define MPI_BOR (&eyot_mpi_op_BOR)
#define MPI_BXOR (&eyot_mpi_op_BXOR)
#define MPI_LAND (&eyot_mpi_op_LAND)
#define MPI_LOR (&eyot_mpi_op_LOR)
#define MPI_LXOR (&eyot_mpi_op_LXOR)
#define MPI_MINLOC (&eyot_mpi_op_MINLOC)
#define MPI_MAXLOC (&eyot_mpi_op_MAXLOC)

#endif
