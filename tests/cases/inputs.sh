# Makes what the cases read, in $in.
# What gcc puts before a loop depends on where its function begins.
cc="${CC:-gcc} -falign-functions=16"
cd "$in"
$cc -O1 -g -fno-if-conversion -o loop "$cases/loop.c"
$cc -O1 -o plain "$cases/loop.c"
mkdir other
$cc -O1 -g -DOTHER -o other/loop -x c - <<END
__attribute__((used)) static int other(int a)
{
	return a * 7 + 3;
}
#include "$cases/loop.c"
END
$cc -O1 -g -o elsewhere "$cases/loop.c"
make=$cases/recording.py
python3 "$make" loop loop.data
python3 "$make" loop short.data --samples 10
python3 "$make" loop empty.data --samples 0
python3 "$make" loop no-stacks.data --no-stacks
python3 "$make" loop no-id.data --no-build-id
python3 "$make" plain plain.data
head -c 30001 loop.data >cut.data
echo hello >text
: >nothing
