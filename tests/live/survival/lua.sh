# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="lua5.4"

title() {
  lua5.4 -v | sed 's/Lua \([0-9.]*\).*/lua \1: tables, strings, coroutines, GC/'
}

prepare() {
  cat >"$input/script.lua" <<'END'
local t, seed = {}, 1
for i = 1, 300000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  local k = "k" .. (seed >> 16) % 5003
  t[k] = (t[k] or 0) + i
end
local keys = {}
for k in pairs(t) do keys[#keys + 1] = k end
table.sort(keys)
local sum = 0
for i, k in ipairs(keys) do sum = (sum * 31 + t[k] * i) % 1000000007 end
print(#keys, sum, table.concat(keys, ","):gsub("k(%d)%1", "<%1>"):len())
local c = coroutine.wrap(function() for i = 1, 300000 do coroutine.yield(i * i % 97) end end)
local n = 0
for i = 1, 300000 do n = n + c() end
print(n, pcall(error, "e"))
print(select(2, pcall(function() local function f() return 1 + f() end return f() end)):match("stack overflow"))
for i = 1, 20 do local g = {} for j = 1, 20000 do g[j] = {j} end collectgarbage() end
print(math.floor(collectgarbage("count") / 100000))
END
}

run() {
  "$@" lua5.4 "$input/script.lua"
}
