// SPDX-License-Identifier: MIT
// words ROUNDS: makes a text again and again, counts its words, and prints how often the most frequent ones came.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

class Text {
public:
	explicit Text(std::uint32_t seed) : state_(seed) {}

	std::string make(std::size_t bytes)
	{
		std::string text;

		while (text.size() < bytes) {
			std::uint32_t draw = next();

			if (draw % 97 == 0)
				text += '\n';
			else if (draw % 5 == 0)
				text += ' ';
			else
				text += static_cast<char>((draw % 31 ? 'a' : 'A') + draw / 64 % 4);
		}
		return text;
	}

private:
	std::uint32_t next()
	{
		state_ = state_ * 1664525u + 1013904223u;
		return state_ >> 8;
	}

	std::uint32_t state_;
};

class Words {
public:
	void add(const std::string &text)
	{
		std::string word;

		for (unsigned char c : text) {
			if (std::isalpha(c))
				word += static_cast<char>(std::tolower(c));
			else
				end(word);
		}
		end(word);
	}

	void print(std::size_t most) const
	{
		std::vector<std::pair<std::string, unsigned long>> list(counts_.begin(), counts_.end());

		std::sort(list.begin(), list.end(), [](const auto &x, const auto &y) {
			return x.second != y.second ? x.second > y.second : x.first < y.first;
		});
		for (std::size_t i = 0; i < most && i < list.size(); i++)
			std::printf("%8lu %s\n", list[i].second, list[i].first.c_str());
	}

private:
	void end(std::string &word)
	{
		if (!word.empty())
			counts_[word]++;
		word.clear();
	}

	std::unordered_map<std::string, unsigned long> counts_;
};

} // namespace

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
	Text text(1);
	Words words;

	for (int i = 0; i < rounds; i++)
		words.add(text.make(2000));
	words.print(5);
	return 0;
}
