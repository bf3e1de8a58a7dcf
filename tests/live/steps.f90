! SPDX-License-Identifier: MIT
program steps
  implicit none
  integer(8) :: i, s, n
  character(len=20) :: a
  call get_command_argument(1, a)
  read(a, *) n
  s = 0
  do i = 1, n
     s = s + step(i)
  end do
  print *, s
contains
  function step(i) result(r)
    integer(8), intent(in) :: i
    integer(8) :: r, k
    r = i
    do k = 1, 5
       if (iand(r, 1_8) == 0) then
          r = r / 2
       else
          r = 3 * r + 1
       end if
    end do
  end function
end program
