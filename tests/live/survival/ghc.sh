# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="ghc"

title() {
  ghc --numeric-version | sed 's/\(.*\)/ghc \1: a program built with optimisation, and run with 2 capabilities/'
}

prepare() {
  cat >"$input/Work.hs" <<'END'
import Control.Concurrent
import Control.Exception
import qualified Data.Map.Strict as M
import Data.List (foldl', sort)

fib :: Int -> Integer
fib n = if n < 2 then toInteger n else fib (n - 1) + fib (n - 2)

main :: IO ()
main = do
  let xs = take 100000 (iterate (\s -> (s * 1103515245 + 12345) `mod` 2147483648) 1) :: [Int]
      m = foldl' (\a x -> M.insertWith (+) (x `mod` 5003) x a) M.empty xs
  print (M.size m, M.foldlWithKey' (\a k v -> (a * 31 + k * v) `mod` 1000003) 0 m)
  print (sum (zipWith (*) (cycle [1, -1]) (sort xs)))
  vs <- mapM (\n -> do { v <- newEmptyMVar; _ <- forkIO (putMVar v $! fib (20 + n)); return v }) [1 .. 4]
  mapM takeMVar vs >>= print
  r <- try (evaluate (1 `div` (0 :: Int))) :: IO (Either ArithException Int)
  print r
END
}

run() {
  cp "$input/Work.hs" .
  "$@" ghc -v0 -O -threaded -rtsopts Work.hs -o work || return
  "$@" ./work +RTS -N2
}
