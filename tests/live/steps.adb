-- SPDX-License-Identifier: MIT
with Ada.Text_IO;
with Ada.Command_Line;

procedure Steps is
   type I64 is range -2**63 .. 2**63 - 1;
   N : constant I64 := I64'Value (Ada.Command_Line.Argument (1));
   S : I64 := 0;
   function Step (I : I64) return I64 is
      R : I64 := I;
   begin
      for K in 1 .. 5 loop
         if R mod 2 = 0 then
            R := R / 2;
         else
            R := 3 * R + 1;
         end if;
      end loop;
      return R;
   end Step;
begin
   for I in 1 .. N loop
      S := S + Step (I);
   end loop;
   Ada.Text_IO.Put_Line (S'Image);
end Steps;
