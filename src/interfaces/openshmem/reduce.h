/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.h - which reduction of eyot a type and an operation need. For
 * reduce.c and active.c. */
#ifndef INTERFACES_OPENSHMEM_REDUCE_H
#define INTERFACES_OPENSHMEM_REDUCE_H

#include "interfaces/openshmem/coll.h"

enum osh_type {
  OSH_SIGNED,
  OSH_UNSIGNED,
  OSH_FLOAT,
  OSH_DOUBLE,
  OSH_LONG_DOUBLE,
  OSH_COMPLEX_FLOAT,
  OSH_COMPLEX_DOUBLE
};

/* clang-format off */
#define OSH_TYPE(T)                                                                    \
  _Generic((T)0,                                                                       \
      float: OSH_FLOAT, double: OSH_DOUBLE, long double: OSH_LONG_DOUBLE,              \
      float _Complex: OSH_COMPLEX_FLOAT, double _Complex: OSH_COMPLEX_DOUBLE,          \
      unsigned char: OSH_UNSIGNED, unsigned short: OSH_UNSIGNED,                       \
      unsigned int: OSH_UNSIGNED, unsigned long: OSH_UNSIGNED,                         \
      unsigned long long: OSH_UNSIGNED,                                                \
      char: (char)-1 < (char)1 ? OSH_SIGNED : OSH_UNSIGNED, default: OSH_SIGNED)
/* clang-format on */

struct osh_reduction osh_reduction_of(enum osh_type type, uint64_t bytes, eyot_op_t op);
#endif
