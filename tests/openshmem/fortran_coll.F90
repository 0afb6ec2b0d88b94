! SPDX-License-Identifier: BSD-3-Clause
! fortran_coll.F90 - the module shmem: collectives of all PEs and of every second one, reductions of
! each type, and locks.
module checks
  use shmem
  implicit none
  integer :: me, npes
  integer, save :: psync(SHMEM_ALLTOALL_SYNC_SIZE) = SHMEM_SYNC_VALUE
contains
  subroutine expect(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    write (*, *) 'PE', me, ': wrong: ', what
    call shmem_global_exit(1)
  end subroutine

  ! `words` of 4 bytes make an element.
  subroutine broadcasts(what, broadcast, words)
    character(len=*), intent(in) :: what
    procedure(shmemi_broadcast) :: broadcast
    integer, intent(in) :: words
    integer, save :: source(8), dest(8)
    source = me + 1
    dest = 0
    call shmem_barrier_all()
    call broadcast(dest, source, 3, npes - 1, 0, 0, npes, psync)
    if (me == npes - 1) then
      call expect(all(dest == 0), what//' at the root')
    else
      call expect(all(dest(1:3*words) == npes) .and. all(dest(3*words + 1:) == 0), what)
    end if
  end subroutine

  subroutine gathers(what, gather, words)
    character(len=*), intent(in) :: what
    procedure(shmemi_collect) :: gather
    integer, intent(in) :: words
    integer, save :: source(8), dest(256)
    integer :: pe, stride, first, size, at
    if (npes > 16) return
    source = me + 1
    dest = 0
    do stride = 0, 1
      first = 0
      size = (npes + stride)/(1 + stride)
      call shmem_barrier_all()
      if (mod(me, 1 + stride) == 0) then
        call gather(dest, source, 2, first, stride, size, psync)
        at = 0
        do pe = 0, size - 1
          call expect(all(dest(at + 1:at + 2*words) == pe*(1 + stride) + 1), what)
          at = at + 2*words
        end do
      end if
    end do
  end subroutine

  subroutine exchanges(what, alltoall, words)
    character(len=*), intent(in) :: what
    procedure(shmemi_collect) :: alltoall
    integer, intent(in) :: words
    integer, save :: source(256), dest(256)
    integer :: i, part
    part = 2*words
    source = [(100*me + (i - 1)/part, i=1, 256)]
    call shmem_barrier_all()
    call alltoall(dest, source, 2, 0, 0, npes, psync)
    call expect(all(dest(1:part*npes) == [(100*((i - 1)/part) + me, i=1, part*npes)]), what)
  end subroutine

  subroutine strided(what, alltoalls, words)
    character(len=*), intent(in) :: what
    procedure(shmemi_alltoalls) :: alltoalls
    integer, intent(in) :: words
    integer, save :: source(256), dest(256)
    integer :: pe, e, at
    source = -1
    dest = -1
    do pe = 0, npes - 1
      do e = 0, 1
        at = (pe*2 + e)*words*3
        source(at + 1:at + words) = 1000*me + 10*pe + e
      end do
    end do
    call shmem_barrier_all()
    call alltoalls(dest, source, 2, 3, 2, 0, 0, npes, psync)
    do pe = 0, npes - 1
      do e = 0, 1
        at = (pe*2 + e)*words*2
        call expect(all(dest(at + 1:at + words) == 1000*pe + 10*me + e), what)
        call expect(all(dest(at + words + 1:at + 2*words) == -1), what//' between')
      end do
    end do
  end subroutine

#define BITS
#define NAME of_int2
#define T integer(2)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define NAME of_int4
#define T integer(4)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define NAME of_int8
#define T integer(8)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#undef BITS
#define NAME of_real4
#define T real(4)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define NAME of_real8
#define T real(8)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define NAME of_real16
#define T real(16)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define UNORDERED
#define NAME of_comp4
#define T complex(4)
#include "fortran_reduce.inc"
#undef NAME
#undef T
#define NAME of_comp8
#define T complex(8)
#include "fortran_reduce.inc"
end module

program fortran_coll
  use checks
  implicit none
  integer, save :: lock = 0, tally = 0
  integer :: i, seen

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  call broadcasts('broadcast4', shmem_broadcast4, 1)
  call broadcasts('broadcast8', shmem_broadcast8, 2)
  call broadcasts('broadcast32', shmem_broadcast32, 1)
  call broadcasts('broadcast64', shmem_broadcast64, 2)
  call gathers('collect4', shmem_collect4, 1)
  call gathers('collect8', shmem_collect8, 2)
  call gathers('collect32', shmem_collect32, 1)
  call gathers('collect64', shmem_collect64, 2)
  call gathers('fcollect4', shmem_fcollect4, 1)
  call gathers('fcollect8', shmem_fcollect8, 2)
  call gathers('fcollect32', shmem_fcollect32, 1)
  call gathers('fcollect64', shmem_fcollect64, 2)
  call exchanges('alltoall32', shmem_alltoall32, 1)
  call exchanges('alltoall64', shmem_alltoall64, 2)
  call strided('alltoalls32', shmem_alltoalls32, 1)
  call strided('alltoalls64', shmem_alltoalls64, 2)

  call of_int2('int2_and', shmem_int2_and_to_all, 1)
  call of_int4('int4_and', shmem_int4_and_to_all, 1)
  call of_int8('int8_and', shmem_int8_and_to_all, 1)
  call of_int2('int2_or', shmem_int2_or_to_all, 2)
  call of_int4('int4_or', shmem_int4_or_to_all, 2)
  call of_int8('int8_or', shmem_int8_or_to_all, 2)
  call of_int2('int2_xor', shmem_int2_xor_to_all, 3)
  call of_int4('int4_xor', shmem_int4_xor_to_all, 3)
  call of_int8('int8_xor', shmem_int8_xor_to_all, 3)
  call of_int2('int2_max', shmem_int2_max_to_all, 4)
  call of_int4('int4_max', shmem_int4_max_to_all, 4)
  call of_int8('int8_max', shmem_int8_max_to_all, 4)
  call of_real4('real4_max', shmem_real4_max_to_all, 4)
  call of_real8('real8_max', shmem_real8_max_to_all, 4)
  call of_real16('real16_max', shmem_real16_max_to_all, 4)
  call of_int2('int2_min', shmem_int2_min_to_all, 5)
  call of_int4('int4_min', shmem_int4_min_to_all, 5)
  call of_int8('int8_min', shmem_int8_min_to_all, 5)
  call of_real4('real4_min', shmem_real4_min_to_all, 5)
  call of_real8('real8_min', shmem_real8_min_to_all, 5)
  call of_real16('real16_min', shmem_real16_min_to_all, 5)
  call of_int2('int2_sum', shmem_int2_sum_to_all, 6)
  call of_int4('int4_sum', shmem_int4_sum_to_all, 6)
  call of_int8('int8_sum', shmem_int8_sum_to_all, 6)
  call of_real4('real4_sum', shmem_real4_sum_to_all, 6)
  call of_real8('real8_sum', shmem_real8_sum_to_all, 6)
  call of_real16('real16_sum', shmem_real16_sum_to_all, 6)
  call of_comp4('comp4_sum', shmem_comp4_sum_to_all, 6)
  call of_comp8('comp8_sum', shmem_comp8_sum_to_all, 6)
  call of_int2('int2_prod', shmem_int2_prod_to_all, 7)
  call of_int4('int4_prod', shmem_int4_prod_to_all, 7)
  call of_int8('int8_prod', shmem_int8_prod_to_all, 7)
  call of_real4('real4_prod', shmem_real4_prod_to_all, 7)
  call of_real8('real8_prod', shmem_real8_prod_to_all, 7)
  call of_real16('real16_prod', shmem_real16_prod_to_all, 7)
  call of_comp4('comp4_prod', shmem_comp4_prod_to_all, 7)
  call of_comp8('comp8_prod', shmem_comp8_prod_to_all, 7)

  ! A sum of reads and writes that only the lock makes whole.
  do i = 1, 10
    if (mod(i, 2) == 0) then
      call shmem_set_lock(lock)
    else
      do while (shmem_test_lock(lock) /= 0)
      end do
    end if
    call shmem_integer_get(seen, tally, 1, npes - 1)
    call shmem_integer_put(tally, seen + 1, 1, npes - 1)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier(0, 0, npes, psync)
  call shmem_integer_get(seen, tally, 1, npes - 1)
  call expect(seen == 10*npes, 'the lock')
  call shmem_barrier_all()
  call shmem_finalize()
end program
