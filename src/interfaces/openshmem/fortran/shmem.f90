! SPDX-License-Identifier: BSD-3-Clause
! shmem.f90 - the module shmem: the constants, and an explicit interface for each
! function, so that the compiler checks numbers and types of arguments. Data may be of any type and
! rank. It has no code: the functions are those of libeyot-shmemf. Source: OpenSHMEM 1.4, section 9.
!
! my_pe and num_pes, the older names, are not declared here, because programs name variables so.
module shmem
  implicit none
  public
  include 'shmem/constants.fh'

  abstract interface
    subroutine shmemi_nothing()
    end subroutine
    subroutine shmemi_data(dest)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      type(*), dimension(*) :: dest
    end subroutine
    subroutine shmemi_copy(dest, source, nelems, pe)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      type(*), dimension(*) :: dest, source
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmemi_strided(dest, source, dst, sst, nelems, pe)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      type(*), dimension(*) :: dest, source
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine

    ! Atomics and waits, on a word that may be the element of an array of other shape.
    integer(4) function shmemi_fetch_op_i4(dest, value, pe)
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
    end function
    integer(8) function shmemi_fetch_op_i8(dest, value, pe)
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
    end function
    real(4) function shmemi_fetch_op_r4(dest, value, pe)
      real(4) :: dest
      real(4), intent(in) :: value
      integer, intent(in) :: pe
    end function
    real(8) function shmemi_fetch_op_r8(dest, value, pe)
      real(8) :: dest
      real(8), intent(in) :: value
      integer, intent(in) :: pe
    end function
    integer(4) function shmemi_fetch_i4(dest, pe)
      integer(4) :: dest
      integer, intent(in) :: pe
    end function
    integer(8) function shmemi_fetch_i8(dest, pe)
      integer(8) :: dest
      integer, intent(in) :: pe
    end function
    real(4) function shmemi_fetch_r4(dest, pe)
      real(4) :: dest
      integer, intent(in) :: pe
    end function
    real(8) function shmemi_fetch_r8(dest, pe)
      real(8) :: dest
      integer, intent(in) :: pe
    end function
    integer(4) function shmemi_cswap_i4(dest, cond, value, pe)
      integer(4) :: dest
      integer(4), intent(in) :: cond, value
      integer, intent(in) :: pe
    end function
    integer(8) function shmemi_cswap_i8(dest, cond, value, pe)
      integer(8) :: dest
      integer(8), intent(in) :: cond, value
      integer, intent(in) :: pe
    end function
    subroutine shmemi_op_i4(dest, value, pe)
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_op_i8(dest, value, pe)
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_op_r4(dest, value, pe)
      real(4) :: dest
      real(4), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_op_r8(dest, value, pe)
      real(8) :: dest
      real(8), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_inc_i4(dest, pe)
      integer(4) :: dest
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_inc_i8(dest, pe)
      integer(8) :: dest
      integer, intent(in) :: pe
    end subroutine
    subroutine shmemi_wait_i4(ivar, value)
      integer(4) :: ivar
      integer(4), intent(in) :: value
    end subroutine
    subroutine shmemi_wait_i8(ivar, value)
      integer(8) :: ivar
      integer(8), intent(in) :: value
    end subroutine
    subroutine shmemi_until_i4(ivar, cmp, value)
      integer(4) :: ivar
      integer, intent(in) :: cmp
      integer(4), intent(in) :: value
    end subroutine
    subroutine shmemi_until_i8(ivar, cmp, value)
      integer(8) :: ivar
      integer, intent(in) :: cmp
      integer(8), intent(in) :: value
    end subroutine

    ! Collectives of active sets.
    subroutine shmemi_broadcast(dest, source, nelems, PE_root, PE_start, logPE_stride, PE_size, pSync)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      type(*), dimension(*) :: dest, source
      integer, intent(in) :: nelems, PE_root, PE_start, logPE_stride, PE_size
      integer :: pSync(*)
    end subroutine
    subroutine shmemi_collect(dest, source, nelems, PE_start, logPE_stride, PE_size, pSync)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      type(*), dimension(*) :: dest, source
      integer, intent(in) :: nelems, PE_start, logPE_stride, PE_size
      integer :: pSync(*)
    end subroutine
    subroutine shmemi_alltoalls(dest, source, dst, sst, nelems, PE_start, logPE_stride, PE_size, pSync)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      type(*), dimension(*) :: dest, source
      integer, intent(in) :: dst, sst, nelems, PE_start, logPE_stride, PE_size
      integer :: pSync(*)
    end subroutine
    subroutine shmemi_reduce(dest, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pWrk
      type(*), dimension(*) :: dest, source, pWrk
      integer, intent(in) :: nreduce, PE_start, logPE_stride, PE_size
      integer :: pSync(*)
    end subroutine
  end interface

  interface
    subroutine start_pes(npes)
      integer, intent(in) :: npes
    end subroutine
    subroutine shmem_global_exit(status)
      integer, intent(in) :: status
    end subroutine
    integer function shmem_my_pe()
    end function
    integer function shmem_n_pes()
    end function
    logical function shmem_pe_accessible(pe)
      integer, intent(in) :: pe
    end function
    logical function shmem_addr_accessible(addr, pe)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: addr
      type(*), dimension(*) :: addr
      integer, intent(in) :: pe
    end function
    ! The result is assigned to a Cray pointer.
    integer(8) function shmem_ptr(dest, pe)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      type(*), dimension(*) :: dest
      integer, intent(in) :: pe
    end function
    subroutine shmem_info_get_version(major, minor)
      integer, intent(out) :: major, minor
    end subroutine
    subroutine shmem_info_get_name(name)
      character(len=*), intent(out) :: name
    end subroutine

    ! addr is a Cray pointer, whose value is an integer of 8 bytes; lengths are in words of 32 bits.
    subroutine shpalloc(addr, length, errcode, abort)
      integer(8) :: addr
      integer, intent(in) :: length, abort
      integer, intent(out) :: errcode
    end subroutine
    subroutine shpdeallc(addr, errcode, abort)
      integer(8) :: addr
      integer, intent(in) :: abort
      integer, intent(out) :: errcode
    end subroutine
    subroutine shpclmove(addr, length, status, abort)
      integer(8) :: addr
      integer, intent(in) :: length, abort
      integer, intent(out) :: status
    end subroutine

    subroutine shmem_barrier(PE_start, logPE_stride, PE_size, pSync)
      integer, intent(in) :: PE_start, logPE_stride, PE_size
      integer :: pSync(*)
    end subroutine
    subroutine shmem_set_lock(lock)
      integer :: lock
    end subroutine
    subroutine shmem_clear_lock(lock)
      integer :: lock
    end subroutine
    integer function shmem_test_lock(lock)
      integer :: lock
    end function
  end interface

  procedure(shmemi_nothing) :: shmem_init, shmem_finalize, shmem_barrier_all, shmem_fence, &
    shmem_quiet, shmem_clear_cache_inv, shmem_set_cache_inv, shmem_udcflush
  procedure(shmemi_data) :: shmem_set_cache_line_inv, shmem_udcflush_line

  procedure(shmemi_copy) :: shmem_put4, shmem_put8, shmem_put32, shmem_put64, shmem_put128, &
    shmem_putmem, shmem_character_put, shmem_complex_put, shmem_double_put, shmem_integer_put, &
    shmem_logical_put, shmem_real_put
  procedure(shmemi_copy) :: shmem_get4, shmem_get8, shmem_get32, shmem_get64, shmem_get128, &
    shmem_getmem, shmem_character_get, shmem_complex_get, shmem_double_get, shmem_integer_get, &
    shmem_logical_get, shmem_real_get
  procedure(shmemi_copy) :: shmem_put4_nbi, shmem_put8_nbi, shmem_put32_nbi, shmem_put64_nbi, &
    shmem_put128_nbi, shmem_putmem_nbi, shmem_character_put_nbi, shmem_complex_put_nbi, &
    shmem_double_put_nbi, shmem_integer_put_nbi, shmem_logical_put_nbi, shmem_real_put_nbi
  procedure(shmemi_copy) :: shmem_get4_nbi, shmem_get8_nbi, shmem_get32_nbi, shmem_get64_nbi, &
    shmem_get128_nbi, shmem_getmem_nbi, shmem_character_get_nbi, shmem_complex_get_nbi, &
    shmem_double_get_nbi, shmem_integer_get_nbi, shmem_logical_get_nbi, shmem_real_get_nbi
  procedure(shmemi_strided) :: shmem_iput4, shmem_iput8, shmem_iput32, shmem_iput64, &
    shmem_iput128, shmem_complex_iput, shmem_double_iput, shmem_integer_iput, &
    shmem_logical_iput, shmem_real_iput
  procedure(shmemi_strided) :: shmem_iget4, shmem_iget8, shmem_iget32, shmem_iget64, &
    shmem_iget128, shmem_complex_iget, shmem_double_iget, shmem_integer_iget, &
    shmem_logical_iget, shmem_real_iget

  procedure(shmemi_fetch_op_i4) :: shmem_int4_swap, shmem_int4_fadd, shmem_swap
  procedure(shmemi_fetch_op_i8) :: shmem_int8_swap, shmem_int8_fadd
  procedure(shmemi_fetch_op_r4) :: shmem_real4_swap
  procedure(shmemi_fetch_op_r8) :: shmem_real8_swap
  procedure(shmemi_fetch_i4) :: shmem_int4_fetch, shmem_int4_finc
  procedure(shmemi_fetch_i8) :: shmem_int8_fetch, shmem_int8_finc
  procedure(shmemi_fetch_r4) :: shmem_real4_fetch
  procedure(shmemi_fetch_r8) :: shmem_real8_fetch
  procedure(shmemi_cswap_i4) :: shmem_int4_cswap
  procedure(shmemi_cswap_i8) :: shmem_int8_cswap
  procedure(shmemi_op_i4) :: shmem_int4_set, shmem_int4_add
  procedure(shmemi_op_i8) :: shmem_int8_set, shmem_int8_add
  procedure(shmemi_op_r4) :: shmem_real4_set
  procedure(shmemi_op_r8) :: shmem_real8_set
  procedure(shmemi_inc_i4) :: shmem_int4_inc
  procedure(shmemi_inc_i8) :: shmem_int8_inc
  procedure(shmemi_wait_i4) :: shmem_int4_wait, shmem_wait
  procedure(shmemi_wait_i8) :: shmem_int8_wait
  procedure(shmemi_until_i4) :: shmem_int4_wait_until, shmem_wait_until
  procedure(shmemi_until_i8) :: shmem_int8_wait_until

  procedure(shmemi_broadcast) :: shmem_broadcast4, shmem_broadcast8, shmem_broadcast32, &
    shmem_broadcast64
  procedure(shmemi_collect) :: shmem_collect4, shmem_collect8, shmem_collect32, &
    shmem_collect64, shmem_fcollect4, shmem_fcollect8, shmem_fcollect32, shmem_fcollect64, &
    shmem_alltoall32, shmem_alltoall64
  procedure(shmemi_alltoalls) :: shmem_alltoalls32, shmem_alltoalls64
  procedure(shmemi_reduce) :: shmem_int2_and_to_all, shmem_int4_and_to_all, &
    shmem_int8_and_to_all, shmem_int2_or_to_all, shmem_int4_or_to_all, shmem_int8_or_to_all, &
    shmem_int2_xor_to_all, shmem_int4_xor_to_all, shmem_int8_xor_to_all
  procedure(shmemi_reduce) :: shmem_int2_max_to_all, shmem_int4_max_to_all, &
    shmem_int8_max_to_all, shmem_real4_max_to_all, shmem_real8_max_to_all, &
    shmem_real16_max_to_all, shmem_int2_min_to_all, shmem_int4_min_to_all, &
    shmem_int8_min_to_all, shmem_real4_min_to_all, shmem_real8_min_to_all, &
    shmem_real16_min_to_all
  procedure(shmemi_reduce) :: shmem_int2_sum_to_all, shmem_int4_sum_to_all, &
    shmem_int8_sum_to_all, shmem_real4_sum_to_all, shmem_real8_sum_to_all, &
    shmem_real16_sum_to_all, shmem_comp4_sum_to_all, shmem_comp8_sum_to_all
  procedure(shmemi_reduce) :: shmem_int2_prod_to_all, shmem_int4_prod_to_all, &
    shmem_int8_prod_to_all, shmem_real4_prod_to_all, shmem_real8_prod_to_all, &
    shmem_real16_prod_to_all, shmem_comp4_prod_to_all, shmem_comp8_prod_to_all
end module
