-- deterministic mixed load: tables, strings, closures, coroutines, numbers
local N = tonumber(arg[1]) or 4
local s = tonumber(arg[2]) or 42
local function rnd(m) s = (s * 16807) % 2147483647; return s % m + 1 end
local function words(n) local t = {} for i = 1, n do local w = {} for j = 1, rnd(7) + 2 do w[j] = string.char(96 + rnd(26)) end t[i] = table.concat(w) end return t end
local function queens(n) local c, cols, d1, d2 = 0, {}, {}, {}
  local function place(r) if r > n then c = c + 1 return end
    for k = 1, n do if not cols[k] and not d1[r + k] and not d2[r - k + n] then
      cols[k], d1[r + k], d2[r - k + n] = true, true, true; place(r + 1); cols[k], d1[r + k], d2[r - k + n] = nil, nil, nil end end end
  place(1) return c end
local Node = {} Node.__index = Node
function Node.new(k) return setmetatable({key = k}, Node) end
function Node:insert(k) if k < self.key then if self.l then self.l:insert(k) else self.l = Node.new(k) end elseif k > self.key then if self.r then self.r:insert(k) else self.r = Node.new(k) end end end
function Node:walk() return coroutine.wrap(function() local function w(n) if n then w(n.l) coroutine.yield(n.key) w(n.r) end end w(self) end) end
local sum = 0
for round = 1, N do
  local ws = words(20000); local cnt = {}
  for _, w in ipairs(ws) do cnt[w:sub(1, 3)] = (cnt[w:sub(1, 3)] or 0) + 1 end
  local keys = {} for k in pairs(cnt) do keys[#keys + 1] = k end table.sort(keys, function(a, b) if cnt[a] ~= cnt[b] then return cnt[a] > cnt[b] end return a < b end)
  sum = sum + cnt[keys[1]] + #keys
  local text = table.concat(ws, " "); local g = 0
  for a, b in text:gmatch("(%a)[aeiou](%a+)") do g = g + #b end
  sum = sum + g + #text:gsub("[aeiou]+", function(v) return v:upper() .. #v end)
  local root = Node.new(500000) for i = 1, 20000 do root:insert(rnd(1000000)) end
  for k in root:walk() do sum = (sum * 31 + k) % 1000000007 end
  sum = sum + queens(8)
  local m = {} for i = 1, 60 do m[i] = {} for j = 1, 60 do m[i][j] = rnd(100) / 7 end end
  local t = 0 for i = 1, 60 do for j = 1, 60 do local x = 0 for k = 1, 60 do x = x + m[i][k] * m[k][j] end t = t + x end end
  print(round, string.format("%d %.6f", sum, t), keys[1])
end
