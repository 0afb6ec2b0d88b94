! SPDX-License-Identifier: BSD-3-Clause
! fortran_rma.f90 - the module shmem: copies of every name, with the bytes that each moves, atomics
! and waits. Each PE works with its neighbours in a ring.
module ring
  use shmem
  implicit none
  integer, parameter :: n = 5, most = 1024
  integer :: me, npes, left, right
  character, save :: dest(most), source(most)
contains
  subroutine expect(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    write (*, *) 'PE', me, ': wrong: ', what
    call shmem_global_exit(1)
  end subroutine

  character function byte(pe, i)
    integer, intent(in) :: pe, i
    byte = achar(mod(pe*16 + i, 90) + 33)
  end function

  subroutine begin
    integer :: i
    dest = ' '
    source = [(byte(me, i), i=1, most)]
    call shmem_barrier_all
  end subroutine

  ! Bytes 1 to `last` of dest are those of `pe`, and the next is untouched.
  subroutine moved(what, last, pe)
    character(len=*), intent(in) :: what
    integer, intent(in) :: last, pe
    integer :: i
    do i = 1, last
      call expect(dest(i) == byte(pe, i), what)
    end do
    call expect(dest(last + 1) == ' ', what//': beyond')
    call shmem_barrier_all
  end subroutine

  subroutine copies(what, put, get, put_nbi, get_nbi, bytes)
    character(len=*), intent(in) :: what
    procedure(shmemi_copy) :: put, get, put_nbi, get_nbi
    integer, intent(in) :: bytes
    call begin
    call put(dest, source, n, right)
    call shmem_barrier_all
    call moved(what//' put', n*bytes, left)
    call begin
    call put_nbi(dest, source, n, right)
    call shmem_quiet
    call shmem_barrier_all
    call moved(what//' put_nbi', n*bytes, left)
    call begin
    call get(dest, source, n, left)
    call moved(what//' get', n*bytes, left)
    call begin
    call get_nbi(dest, source, n, left)
    call shmem_quiet
    call moved(what//' get_nbi', n*bytes, left)
  end subroutine

  subroutine strided(what, iput, iget, bytes)
    character(len=*), intent(in) :: what
    procedure(shmemi_strided) :: iput, iget
    integer, intent(in) :: bytes
    call begin
    call iput(dest, source, 2, 3, n, right)
    call shmem_barrier_all
    call spread_out(what//' iput', bytes)
    call begin
    call iget(dest, source, 2, 3, n, left)
    call spread_out(what//' iget', bytes)
  end subroutine

  subroutine spread_out(what, bytes)
    character(len=*), intent(in) :: what
    integer, intent(in) :: bytes
    integer :: e, b
    do e = 0, n - 1
      do b = 1, bytes
        call expect(dest(2*e*bytes + b) == byte(left, 3*e*bytes + b), what)
        call expect(dest((2*e + 1)*bytes + b) == ' ', what//': between')
      end do
    end do
    call shmem_barrier_all
  end subroutine
end module

program fortran_rma
  use ring
  implicit none
  integer(4), save :: i4 = 5, word4 = 0
  integer(8), save :: i8 = 5, word8 = 0
  real(4), save :: r4 = 1.5
  real(8), save :: r8 = 2.5d0
  integer, save :: default = 0, table(3, 4) = 0
  real(8), save :: matrix(2, 2)
  complex, save :: c
  logical, save :: flag = .false.
  character(len=8), save :: text = '-'

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  right = mod(me + 1, npes)
  left = mod(me + npes - 1, npes)

  call copies('4', shmem_put4, shmem_get4, shmem_put4_nbi, shmem_get4_nbi, 4)
  call copies('8', shmem_put8, shmem_get8, shmem_put8_nbi, shmem_get8_nbi, 8)
  call copies('32', shmem_put32, shmem_get32, shmem_put32_nbi, shmem_get32_nbi, 4)
  call copies('64', shmem_put64, shmem_get64, shmem_put64_nbi, shmem_get64_nbi, 8)
  call copies('128', shmem_put128, shmem_get128, shmem_put128_nbi, shmem_get128_nbi, 16)
  call copies('mem', shmem_putmem, shmem_getmem, shmem_putmem_nbi, shmem_getmem_nbi, 1)
  call copies('character', shmem_character_put, shmem_character_get, shmem_character_put_nbi, &
              shmem_character_get_nbi, 1)
  call copies('complex', shmem_complex_put, shmem_complex_get, shmem_complex_put_nbi, &
              shmem_complex_get_nbi, 8)
  call copies('double', shmem_double_put, shmem_double_get, shmem_double_put_nbi, &
              shmem_double_get_nbi, 8)
  call copies('integer', shmem_integer_put, shmem_integer_get, shmem_integer_put_nbi, &
              shmem_integer_get_nbi, 4)
  call copies('logical', shmem_logical_put, shmem_logical_get, shmem_logical_put_nbi, &
              shmem_logical_get_nbi, 4)
  call copies('real', shmem_real_put, shmem_real_get, shmem_real_put_nbi, shmem_real_get_nbi, 4)
  call strided('4', shmem_iput4, shmem_iget4, 4)
  call strided('8', shmem_iput8, shmem_iget8, 8)
  call strided('32', shmem_iput32, shmem_iget32, 4)
  call strided('64', shmem_iput64, shmem_iget64, 8)
  call strided('128', shmem_iput128, shmem_iget128, 16)
  call strided('complex', shmem_complex_iput, shmem_complex_iget, 8)
  call strided('double', shmem_double_iput, shmem_double_iget, 8)
  call strided('integer', shmem_integer_iput, shmem_integer_iget, 4)
  call strided('logical', shmem_logical_iput, shmem_logical_iget, 4)
  call strided('real', shmem_real_iput, shmem_real_iget, 4)

  ! Values of each type, of any rank.
  call shmem_integer_put(table(2, 3), me, 1, right)
  call shmem_double_put(matrix, reshape([1d0, 2d0, 3d0, 4d0], [2, 2]), 4, right)
  call shmem_complex_put(c, (1.0, -2.0), 1, right)
  call shmem_logical_put(flag, .true., 1, right)
  call shmem_character_put(text, 'eyot', 4, right)
  call shmem_barrier_all()
  call expect(table(2, 3) == left .and. sum(table) == left, 'an element of a table')
  call expect(matrix(1, 2) == 3d0 .and. matrix(2, 2) == 4d0, 'a matrix')
  call expect(c == (1.0, -2.0) .and. flag .and. text == 'eyot', 'complex, logical, character')

  ! Atomics on the words of the neighbour.
  call expect(shmem_int4_swap(i4, 7_4, right) == 5, 'int4_swap')
  call expect(shmem_int4_cswap(i4, 7_4, 9_4, right) == 7, 'int4_cswap')
  call expect(shmem_int4_fadd(i4, 3_4, right) == 9, 'int4_fadd')
  call expect(shmem_int4_finc(i4, right) == 12, 'int4_finc')
  call shmem_int4_add(i4, 10_4, right)
  call shmem_int4_inc(i4, right)
  call shmem_quiet()
  call expect(shmem_int4_fetch(i4, right) == 24, 'int4_fetch')
  call shmem_int4_set(i4, -1_4, right)
  call expect(shmem_int8_swap(i8, 2_8**40, right) == 5, 'int8_swap')
  call expect(shmem_int8_cswap(i8, 2_8**40, 9_8, right) == 2_8**40, 'int8_cswap')
  call expect(shmem_int8_fadd(i8, 3_8, right) == 9, 'int8_fadd')
  call expect(shmem_int8_finc(i8, right) == 12, 'int8_finc')
  call shmem_int8_add(i8, 10_8, right)
  call shmem_int8_inc(i8, right)
  call shmem_quiet()
  call expect(shmem_int8_fetch(i8, right) == 24, 'int8_fetch')
  call shmem_int8_set(i8, -1_8, right)
  call expect(shmem_real4_swap(r4, 4.5, right) == 1.5, 'real4_swap')
  call expect(shmem_real4_fetch(r4, right) == 4.5, 'real4_fetch')
  call shmem_real4_set(r4, 0.25, right)
  call expect(shmem_real8_swap(r8, 5.5d0, right) == 2.5d0, 'real8_swap')
  call expect(shmem_real8_fetch(r8, right) == 5.5d0, 'real8_fetch')
  call shmem_real8_set(r8, 0.125d0, right)
  call expect(shmem_swap(default, 3, right) == 0, 'swap')
  call shmem_barrier_all()
  call expect(i4 == -1 .and. i8 == -1, 'int4_set, int8_set')
  call expect(r4 == 0.25 .and. r8 == 0.125d0 .and. default == 3, 'real4_set, real8_set, swap')
  call shmem_barrier_all()

  ! Each wait is ended by the neighbour.
  call shmem_int4_set(word4, 1_4, right)
  call shmem_int4_wait(word4, 0_4)
  call shmem_int4_set(i4, 2_4, right)
  call shmem_int4_wait_until(i4, SHMEM_CMP_GE, 2_4)
  call shmem_int8_set(word8, 1_8, right)
  call shmem_int8_wait(word8, 0_8)
  call shmem_int8_set(i8, 2_8, right)
  call shmem_int8_wait_until(i8, SHMEM_CMP_EQ, 2_8)
  call shmem_int4_set(default, 4, right)
  call shmem_wait(default, 3)
  call shmem_integer_put(table, 11, 1, right)
  call shmem_fence()
  call shmem_int4_set(table(1, 2), 12, right)
  call shmem_wait_until(table(1, 2), SHMEM_CMP_NE, 0)
  call expect(table(1, 1) == 11, 'fence')
  call shmem_barrier_all()
  call shmem_finalize()
end program
