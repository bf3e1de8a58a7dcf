/* SPDX-License-Identifier: MIT */
#ifdef __cplusplus
extern "C" {
#endif
int part(int x);
int other(int x);
#ifdef __cplusplus
}
#endif
