/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/generic.h - the type-generic forms for C11, which select the function by the type to which
 * dest, source or ivar points, and the form with a context by the number of arguments. Source:
 * OpenSHMEM 1.5, the C11 synopsis of each function.
 *
 * Beyond the specification: const and volatile are left aside in the selection. */
#ifndef SHMEM_GENERIC_H
#define SHMEM_GENERIC_H

#include "types.h"

/* clang-format off */
#define SHMEMI_CAT_(a, b) a##b
#define SHMEMI_CAT(a, b) SHMEMI_CAT_(a, b)
#define SHMEMI_COUNT_(a, b, c, d, e, f, g, h, i, j, n, ...) n
#define SHMEMI_COUNT(...) SHMEMI_COUNT_(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
/* NAME_n of the n arguments. */
#define SHMEMI_BY_COUNT(name, ...) SHMEMI_CAT(name, SHMEMI_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Associations of a list; `op` is the function's name after the type's. */
#define SHMEMI_AS(T, N, op) T: shmem_##N##_##op,
#define SHMEMI_AS_CTX(T, N, op) T: shmem_ctx_##N##_##op,
/* No type: the end of each list, whose function does not exist. */
struct shmemi_no_such_type;
#define SHMEMI_PICK(p, list, op) _Generic(*(p), list(SHMEMI_AS, op) struct shmemi_no_such_type *: 0)
#define SHMEMI_PICK_CTX(p, list, op) \
  _Generic(*(p), list(SHMEMI_AS_CTX, op) struct shmemi_no_such_type *: 0)

/* Calls the function for the type to which the first argument, the second after a context (C), or
 * the second after a result (R) points. */
#define SHMEMI_G(list, op, p, ...) SHMEMI_PICK(p, list, op)(p, __VA_ARGS__)
#define SHMEMI_GC(list, op, c, p, ...) SHMEMI_PICK_CTX(p, list, op)(c, p, __VA_ARGS__)
#define SHMEMI_GR(list, op, r, p, ...) SHMEMI_PICK(p, list, op)(r, p, __VA_ARGS__)
#define SHMEMI_GRC(list, op, c, r, p, ...) SHMEMI_PICK_CTX(p, list, op)(c, r, p, __VA_ARGS__)

#define shmem_put(...) SHMEMI_BY_COUNT(shmemi_put_, __VA_ARGS__)
#define shmemi_put_4(...) SHMEMI_G(SHMEMI_RMA_C, put, __VA_ARGS__)
#define shmemi_put_5(...) SHMEMI_GC(SHMEMI_RMA_C, put, __VA_ARGS__)
#define shmem_get(...) SHMEMI_BY_COUNT(shmemi_get_, __VA_ARGS__)
#define shmemi_get_4(...) SHMEMI_G(SHMEMI_RMA_C, get, __VA_ARGS__)
#define shmemi_get_5(...) SHMEMI_GC(SHMEMI_RMA_C, get, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEMI_BY_COUNT(shmemi_put_nbi_, __VA_ARGS__)
#define shmemi_put_nbi_4(...) SHMEMI_G(SHMEMI_RMA_C, put_nbi, __VA_ARGS__)
#define shmemi_put_nbi_5(...) SHMEMI_GC(SHMEMI_RMA_C, put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEMI_BY_COUNT(shmemi_get_nbi_, __VA_ARGS__)
#define shmemi_get_nbi_4(...) SHMEMI_G(SHMEMI_RMA_C, get_nbi, __VA_ARGS__)
#define shmemi_get_nbi_5(...) SHMEMI_GC(SHMEMI_RMA_C, get_nbi, __VA_ARGS__)
#define shmem_p(...) SHMEMI_BY_COUNT(shmemi_p_, __VA_ARGS__)
#define shmemi_p_3(...) SHMEMI_G(SHMEMI_RMA_C, p, __VA_ARGS__)
#define shmemi_p_4(...) SHMEMI_GC(SHMEMI_RMA_C, p, __VA_ARGS__)
#define shmem_g(...) SHMEMI_BY_COUNT(shmemi_g_, __VA_ARGS__)
#define shmemi_g_2(...) SHMEMI_G(SHMEMI_RMA_C, g, __VA_ARGS__)
#define shmemi_g_3(...) SHMEMI_GC(SHMEMI_RMA_C, g, __VA_ARGS__)
#define shmem_iput(...) SHMEMI_BY_COUNT(shmemi_iput_, __VA_ARGS__)
#define shmemi_iput_6(...) SHMEMI_G(SHMEMI_RMA_C, iput, __VA_ARGS__)
#define shmemi_iput_7(...) SHMEMI_GC(SHMEMI_RMA_C, iput, __VA_ARGS__)
#define shmem_iget(...) SHMEMI_BY_COUNT(shmemi_iget_, __VA_ARGS__)
#define shmemi_iget_6(...) SHMEMI_G(SHMEMI_RMA_C, iget, __VA_ARGS__)
#define shmemi_iget_7(...) SHMEMI_GC(SHMEMI_RMA_C, iget, __VA_ARGS__)
#define shmem_ibput(...) SHMEMI_BY_COUNT(shmemi_ibput_, __VA_ARGS__)
#define shmemi_ibput_7(...) SHMEMI_G(SHMEMI_RMA_C, ibput, __VA_ARGS__)
#define shmemi_ibput_8(...) SHMEMI_GC(SHMEMI_RMA_C, ibput, __VA_ARGS__)
#define shmem_ibget(...) SHMEMI_BY_COUNT(shmemi_ibget_, __VA_ARGS__)
#define shmemi_ibget_7(...) SHMEMI_G(SHMEMI_RMA_C, ibget, __VA_ARGS__)
#define shmemi_ibget_8(...) SHMEMI_GC(SHMEMI_RMA_C, ibget, __VA_ARGS__)
#define shmem_put_signal(...) SHMEMI_BY_COUNT(shmemi_put_signal_, __VA_ARGS__)
#define shmemi_put_signal_7(...) SHMEMI_G(SHMEMI_RMA_C, put_signal, __VA_ARGS__)
#define shmemi_put_signal_8(...) SHMEMI_GC(SHMEMI_RMA_C, put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEMI_BY_COUNT(shmemi_put_signal_nbi_, __VA_ARGS__)
#define shmemi_put_signal_nbi_7(...) SHMEMI_G(SHMEMI_RMA_C, put_signal_nbi, __VA_ARGS__)
#define shmemi_put_signal_nbi_8(...) SHMEMI_GC(SHMEMI_RMA_C, put_signal_nbi, __VA_ARGS__)

#define shmem_atomic_fetch(...) SHMEMI_BY_COUNT(shmemi_fetch_, __VA_ARGS__)
#define shmemi_fetch_2(...) SHMEMI_G(SHMEMI_AMO_EXTENDED_C, atomic_fetch, __VA_ARGS__)
#define shmemi_fetch_3(...) SHMEMI_GC(SHMEMI_AMO_EXTENDED_C, atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEMI_BY_COUNT(shmemi_set_, __VA_ARGS__)
#define shmemi_set_3(...) SHMEMI_G(SHMEMI_AMO_EXTENDED_C, atomic_set, __VA_ARGS__)
#define shmemi_set_4(...) SHMEMI_GC(SHMEMI_AMO_EXTENDED_C, atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEMI_BY_COUNT(shmemi_swap_, __VA_ARGS__)
#define shmemi_swap_3(...) SHMEMI_G(SHMEMI_AMO_EXTENDED_C, atomic_swap, __VA_ARGS__)
#define shmemi_swap_4(...) SHMEMI_GC(SHMEMI_AMO_EXTENDED_C, atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_nbi_, __VA_ARGS__)
#define shmemi_fetch_nbi_3(...) SHMEMI_GR(SHMEMI_AMO_EXTENDED_C, atomic_fetch_nbi, __VA_ARGS__)
#define shmemi_fetch_nbi_4(...) SHMEMI_GRC(SHMEMI_AMO_EXTENDED_C, atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEMI_BY_COUNT(shmemi_swap_nbi_, __VA_ARGS__)
#define shmemi_swap_nbi_4(...) SHMEMI_GR(SHMEMI_AMO_EXTENDED_C, atomic_swap_nbi, __VA_ARGS__)
#define shmemi_swap_nbi_5(...) SHMEMI_GRC(SHMEMI_AMO_EXTENDED_C, atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEMI_BY_COUNT(shmemi_cswap_, __VA_ARGS__)
#define shmemi_cswap_4(...) SHMEMI_G(SHMEMI_AMO_C, atomic_compare_swap, __VA_ARGS__)
#define shmemi_cswap_5(...) SHMEMI_GC(SHMEMI_AMO_C, atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEMI_BY_COUNT(shmemi_cswap_nbi_, __VA_ARGS__)
#define shmemi_cswap_nbi_5(...) SHMEMI_GR(SHMEMI_AMO_C, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmemi_cswap_nbi_6(...) SHMEMI_GRC(SHMEMI_AMO_C, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEMI_BY_COUNT(shmemi_fetch_inc_, __VA_ARGS__)
#define shmemi_fetch_inc_2(...) SHMEMI_G(SHMEMI_AMO_C, atomic_fetch_inc, __VA_ARGS__)
#define shmemi_fetch_inc_3(...) SHMEMI_GC(SHMEMI_AMO_C, atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_inc_nbi_, __VA_ARGS__)
#define shmemi_fetch_inc_nbi_3(...) SHMEMI_GR(SHMEMI_AMO_C, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmemi_fetch_inc_nbi_4(...) SHMEMI_GRC(SHMEMI_AMO_C, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEMI_BY_COUNT(shmemi_inc_, __VA_ARGS__)
#define shmemi_inc_2(...) SHMEMI_G(SHMEMI_AMO_C, atomic_inc, __VA_ARGS__)
#define shmemi_inc_3(...) SHMEMI_GC(SHMEMI_AMO_C, atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEMI_BY_COUNT(shmemi_fetch_add_, __VA_ARGS__)
#define shmemi_fetch_add_3(...) SHMEMI_G(SHMEMI_AMO_C, atomic_fetch_add, __VA_ARGS__)
#define shmemi_fetch_add_4(...) SHMEMI_GC(SHMEMI_AMO_C, atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_add_nbi_, __VA_ARGS__)
#define shmemi_fetch_add_nbi_4(...) SHMEMI_GR(SHMEMI_AMO_C, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmemi_fetch_add_nbi_5(...) SHMEMI_GRC(SHMEMI_AMO_C, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEMI_BY_COUNT(shmemi_add_, __VA_ARGS__)
#define shmemi_add_3(...) SHMEMI_G(SHMEMI_AMO_C, atomic_add, __VA_ARGS__)
#define shmemi_add_4(...) SHMEMI_GC(SHMEMI_AMO_C, atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEMI_BY_COUNT(shmemi_fetch_and_, __VA_ARGS__)
#define shmemi_fetch_and_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_fetch_and, __VA_ARGS__)
#define shmemi_fetch_and_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEMI_BY_COUNT(shmemi_fetch_or_, __VA_ARGS__)
#define shmemi_fetch_or_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_fetch_or, __VA_ARGS__)
#define shmemi_fetch_or_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEMI_BY_COUNT(shmemi_fetch_xor_, __VA_ARGS__)
#define shmemi_fetch_xor_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_fetch_xor, __VA_ARGS__)
#define shmemi_fetch_xor_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_and_nbi_, __VA_ARGS__)
#define shmemi_fetch_and_nbi_4(...) \
  SHMEMI_GR(SHMEMI_AMO_BITWISE_C, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmemi_fetch_and_nbi_5(...) \
  SHMEMI_GRC(SHMEMI_AMO_BITWISE_C, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_or_nbi_, __VA_ARGS__)
#define shmemi_fetch_or_nbi_4(...) SHMEMI_GR(SHMEMI_AMO_BITWISE_C, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmemi_fetch_or_nbi_5(...) \
  SHMEMI_GRC(SHMEMI_AMO_BITWISE_C, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEMI_BY_COUNT(shmemi_fetch_xor_nbi_, __VA_ARGS__)
#define shmemi_fetch_xor_nbi_4(...) \
  SHMEMI_GR(SHMEMI_AMO_BITWISE_C, atomic_fetch_xor_nbi, __VA_ARGS__)
#define shmemi_fetch_xor_nbi_5(...) \
  SHMEMI_GRC(SHMEMI_AMO_BITWISE_C, atomic_fetch_xor_nbi, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEMI_BY_COUNT(shmemi_and_, __VA_ARGS__)
#define shmemi_and_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_and, __VA_ARGS__)
#define shmemi_and_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_and, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEMI_BY_COUNT(shmemi_or_, __VA_ARGS__)
#define shmemi_or_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_or, __VA_ARGS__)
#define shmemi_or_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_or, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEMI_BY_COUNT(shmemi_xor_, __VA_ARGS__)
#define shmemi_xor_3(...) SHMEMI_G(SHMEMI_AMO_BITWISE_C, atomic_xor, __VA_ARGS__)
#define shmemi_xor_4(...) SHMEMI_GC(SHMEMI_AMO_BITWISE_C, atomic_xor, __VA_ARGS__)

/* The older names. */
#define shmem_fetch(...) shmem_atomic_fetch(__VA_ARGS__)
#define shmem_set(...) shmem_atomic_set(__VA_ARGS__)
#define shmem_cswap(...) shmem_atomic_compare_swap(__VA_ARGS__)
#define shmem_swap(...) shmem_atomic_swap(__VA_ARGS__)
#define shmem_finc(...) shmem_atomic_fetch_inc(__VA_ARGS__)
#define shmem_inc(...) shmem_atomic_inc(__VA_ARGS__)
#define shmem_fadd(...) shmem_atomic_fetch_add(__VA_ARGS__)
#define shmem_add(...) shmem_atomic_add(__VA_ARGS__)

#define shmem_wait_until(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until, __VA_ARGS__)
#define shmem_test(...) SHMEMI_G(SHMEMI_WAIT_C, test, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEMI_G(SHMEMI_WAIT_C, wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) \
  SHMEMI_G(SHMEMI_WAIT_C, wait_until_some_vector, __VA_ARGS__)
#define shmem_test_all(...) SHMEMI_G(SHMEMI_WAIT_C, test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEMI_G(SHMEMI_WAIT_C, test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEMI_G(SHMEMI_WAIT_C, test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEMI_G(SHMEMI_WAIT_C, test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEMI_G(SHMEMI_WAIT_C, test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEMI_G(SHMEMI_WAIT_C, test_some_vector, __VA_ARGS__)

#define shmem_alltoall(...) SHMEMI_GR(SHMEMI_RMA_C, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEMI_GR(SHMEMI_RMA_C, alltoalls, __VA_ARGS__)
#define shmem_broadcast(...) SHMEMI_GR(SHMEMI_RMA_C, broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEMI_GR(SHMEMI_RMA_C, collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEMI_GR(SHMEMI_RMA_C, fcollect, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_BITWISE_C, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_BITWISE_C, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_BITWISE_C, xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_ORDERED_C, max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_ORDERED_C, min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_SUM_C, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEMI_GR(SHMEMI_REDUCE_SUM_C, prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...) SHMEMI_GR(SHMEMI_REDUCE_SUM_C, sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) SHMEMI_GR(SHMEMI_REDUCE_SUM_C, sum_exscan, __VA_ARGS__)


/* shmem_sync of a team, or of an active set. */
#define shmem_sync(...) SHMEMI_BY_COUNT(shmemi_sync_, __VA_ARGS__)
#define shmemi_sync_1(team) shmem_team_sync(team)
#define shmemi_sync_4(start, stride, size, psync) (shmem_sync)(start, stride, size, psync)
/* clang-format on */
#endif
