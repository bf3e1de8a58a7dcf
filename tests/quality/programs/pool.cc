/* SPDX-License-Identifier: MIT */
/* pool THREADS TASKS: a pool of threads that wait for tasks (a condition variable) and for each
 * other's results. Tasks sort, count words in a map, sieve, and walk at random through 4 MB. Prints
 * a checksum, which does not depend on how threads run. */
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

struct generator {
	uint64_t state;

	uint64_t next()
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return state;
	}
};

class pool
{
	std::mutex lock;
	std::condition_variable wake;
	std::deque<std::packaged_task<uint64_t()>> tasks;
	std::vector<std::thread> threads;
	bool closed = false;

	void work()
	{
		for (;;) {
			std::packaged_task<uint64_t()> task;
			{
				std::unique_lock<std::mutex> held(lock);

				wake.wait(held, [this] { return closed || !tasks.empty(); });
				if (tasks.empty())
					return;
				task = std::move(tasks.front());
				tasks.pop_front();
			}
			task();
		}
	}

      public:
	explicit pool(int count)
	{
		for (int i = 0; i < count; i++)
			threads.emplace_back([this] { work(); });
	}

	std::future<uint64_t> submit(std::function<uint64_t()> f)
	{
		std::packaged_task<uint64_t()> task(std::move(f));
		std::future<uint64_t> result = task.get_future();
		{
			std::lock_guard<std::mutex> held(lock);

			tasks.push_back(std::move(task));
		}
		wake.notify_one();
		return result;
	}

	~pool()
	{
		{
			std::lock_guard<std::mutex> held(lock);

			closed = true;
		}
		wake.notify_all();
		for (std::thread &t : threads)
			t.join();
	}
};

uint64_t sort_numbers(uint64_t seed)
{
	generator random{seed};
	std::vector<uint32_t> numbers(20000);

	for (uint32_t &n : numbers)
		n = static_cast<uint32_t>(random.next());
	std::sort(numbers.begin(), numbers.end());
	return numbers[numbers.size() / 3];
}

uint64_t count_words(uint64_t seed)
{
	generator random{seed};
	std::map<std::string, int> counts;
	uint64_t sum = 0;

	for (int i = 0; i < 4000; i++)
		counts["word" + std::to_string(random.next() % 700)]++;
	for (const auto &c : counts)
		sum = sum * 31 + static_cast<uint64_t>(c.second) + c.first.size();
	return sum;
}

uint64_t sieve(uint64_t seed)
{
	std::vector<bool> composite(60000 + seed % 100);
	uint64_t primes = 0;

	for (size_t i = 2; i < composite.size(); i++) {
		if (composite[i])
			continue;
		primes++;
		for (size_t j = i * i; j < composite.size(); j += i)
			composite[j] = true;
	}
	return primes;
}

std::vector<uint32_t> steps(1u << 20); /* read by all, written by none */

uint64_t walk(uint64_t seed)
{
	uint32_t at = static_cast<uint32_t>(seed % steps.size());
	uint64_t sum = 0;

	for (int i = 0; i < 30000; i++) {
		at = steps[at];
		sum += at & 64 ? at : 1;
	}
	return sum;
}

} // namespace

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4, tasks = argc > 2 ? atoi(argv[2]) : 400;
	uint64_t (*const kinds[])(uint64_t) = {sort_numbers, count_words, sieve, walk};
	std::deque<std::future<uint64_t>> waiting;
	generator random{88172645463325252u};
	uint64_t checksum = 0;

	for (size_t i = 0; i < steps.size(); i++)
		steps[i] = static_cast<uint32_t>(i);
	for (size_t i = steps.size() - 1; i; i--) /* one cycle */
		std::swap(steps[i], steps[random.next() % i]);

	pool workers(threads);
	for (int i = 0; i < tasks; i++) {
		uint64_t seed = random.next() | 1;
		auto kind = kinds[i % 4];

		waiting.push_back(workers.submit([kind, seed] { return kind(seed); }));
		if (waiting.size() > static_cast<size_t>(threads) * 2) { /* it blocks here */
			checksum = checksum * 31 + waiting.front().get();
			waiting.pop_front();
		}
	}
	for (auto &f : waiting)
		checksum = checksum * 31 + f.get();
	printf("%016llx\n", static_cast<unsigned long long>(checksum));
}
