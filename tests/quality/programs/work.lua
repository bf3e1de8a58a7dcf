-- Tables, strings, closures, sorting and arithmetic, in turn: the work of small scripts. work.lua ROUNDS
local rounds = tonumber(arg[1])
local text = ("the quick brown fox jumps over the lazy dog, "):rep(200)

local function fibonacci(n)
  if n < 2 then return n end
  return fibonacci(n - 1) + fibonacci(n - 2)
end

local function words()
  local counts = {}
  for word in text:gmatch("%a+") do counts[word] = (counts[word] or 0) + 1 end
  local sorted = {}
  for word, count in pairs(counts) do sorted[#sorted + 1] = word .. count end
  table.sort(sorted)
  return #table.concat(sorted, " ")
end

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function matrix(n)
  local a, sum = {}, 0.0
  for i = 1, n do
    a[i] = {}
    for j = 1, n do a[i][j] = i * 0.5 + j end
  end
  for i = 1, n do
    for j = 1, n do
      local s = 0.0
      for k = 1, n do s = s + a[i][k] * a[k][j] end
      sum = sum + s
    end
  end
  return sum
end

local function objects(n)
  local list, class = nil, {}
  class.__index = class
  function class:value() return self.n % 7 end
  for i = 1, n do list = setmetatable({n = i, next = list}, class) end
  local sum = 0
  while list do sum, list = sum + list:value(), list.next end
  return sum
end

local total = 0
for round = 1, rounds do
  total = total + fibonacci(18) + words() + sieve(6000) + matrix(24) + objects(6000)
end
print(total)
