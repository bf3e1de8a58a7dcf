# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="octave-cli"

title() {
  octave-cli --version | sed -n '1s/.*version \([0-9.]*\).*/octave \1: linear algebra, FFT, strings, cells/p'
}

prepare() {
  cat >"$input/work.m" <<'END'
n = 300;
A = mod(reshape(1:n*n, n, n) * 7919, 1009) + 500 * eye(n);
b = (1:n)';
x = A \ b;
printf("%d\n", norm(A * x - b) < 1e-6);
printf("%.3f\n", sum(abs(fft(sin((1:4096) / 5)))) / 4096);
c = {};
for i = 1:3000
  c{end+1} = sprintf("k%d", mod(i * 31, 997));
end
printf("%d %s\n", numel(unique(c)), regexprep(c{7}, '(\d)', '<$1>'));
try, error("mine"); catch e, disp(e.message); end
s = 0; for i = 1:200000, s = mod(s * 31 + i, 65537); end, disp(s)
END
}

run() {
  HOME=$PWD "$@" octave-cli --norc --quiet --no-history "$input/work.m" 2>&1
}
