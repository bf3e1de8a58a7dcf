/* SPDX-License-Identifier: MIT */

/* The number at *@at, which is moved behind it. */
long digits_read(const char **at)
{
	long number = 0;

	if (**at == '0' && (*at)[1] == 'x') {
		for (*at += 2; **at; ++*at)
			if (**at >= 'a' && **at <= 'f')
				number = number * 16 + (**at - 'a' + 10);
			else if (**at >= '0' && **at <= '9')
				number = number * 16 + (**at - '0');
			else
				break;
		return number;
	}
	while (**at >= '0' && **at <= '9')
		number = number * 10 + (*(*at)++ - '0');
	return number;
}
