// A library with nvJitLink's interface that does what the first input's name
// says. SUFFIX is the release in the functions' names, MAJOR and MINOR what it
// says of itself.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAT3(a, b, c) a##b##c
#define NAME3(a, b, c) CAT3(a, b, c)
#define FN(name) NAME3(__nvJitLink, name, SUFFIX)

struct link { char name[64]; char image[256]; char log[256]; uint64_t inputs; };

static int poisoned;

#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { AT_LOAD; }
#endif

int nvJitLinkVersion(unsigned *major, unsigned *minor) { *major = MAJOR; *minor = MINOR; return 0; }

int FN(Create)(struct link **h, uint32_t n, const char **options) {
	if (poisoned) abort();
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(options[i], "-unknown")) return 1;
	*h = calloc(1, sizeof **h);
	return 0;
}

int FN(AddData)(struct link *h, int kind, const void *data, size_t size, const char *name) {
	if (!h->inputs++) snprintf(h->name, sizeof h->name, "%s", name);
	if (!strcmp(name, "refused")) { strcpy(h->log, "error: no\n"); return 8; }
	snprintf(h->image, sizeof h->image, "\177ELF %d %zu %.*s", kind, size, (int)(size < 100 ? size : 100), (const char *)data);
	return 0;
}

int FN(Complete)(struct link *h) {
	const char *n = h->name;
	if (!strcmp(n, "crash")) *(volatile int *)8 = 1;
	if (!strcmp(n, "abort")) abort();
	if (!strcmp(n, "exit")) exit(3);
	if (!strcmp(n, "hang")) for (;;) pause();
	if (!strcmp(n, "spin")) for (;;) ;
	if (!strcmp(n, "poison")) poisoned = 1;
	if (!strcmp(n, "print")) { puts("warning : a word"); fflush(stdout); fputs("error   : another\n", stderr); }
	if (!strcmp(n, "flood")) for (;;) { puts("and so on and so on and so on and so on"); fflush(stdout); }
	if (!strcmp(n, "scribble") && write(4, "garbage garbage garbage garbage", 31) < 0) return 6;
	if (!strcmp(n, "internal")) return 6;
	return 0;
}

int FN(GetLinkedCubinSize)(struct link *h, size_t *size) {
	*size = sizeof h->image;
	if (!strcmp(h->name, "huge")) *size = (size_t)1 << 62;
	if (!strcmp(h->name, "nothing")) *size = 0;
	return 0;
}

int FN(GetLinkedCubin)(struct link *h, void *to) {
	memcpy(to, h->image, sizeof h->image);
	if (!strcmp(h->name, "text")) memset(to, 'x', sizeof h->image);
	return 0;
}

int FN(GetLinkedPtxSize)(struct link *h, size_t *size) { (void)h; *size = 5; return 0; }
int FN(GetLinkedPtx)(struct link *h, char *to) { (void)h; memcpy(to, ".ptx", 5); return 0; }
int FN(GetErrorLogSize)(struct link *h, size_t *size) { *size = strlen(h->log) + 1; return 0; }
int FN(GetErrorLog)(struct link *h, char *to) { strcpy(to, h->log); return 0; }
int FN(GetInfoLogSize)(struct link *h, size_t *size) { *size = !strcmp(h->name, "hugelog") ? (size_t)1 << 50 : 0; return 0; }
int FN(GetInfoLog)(struct link *h, char *to) { (void)h; *to = 0; return 0; }
int FN(Destroy)(struct link **h) { free(*h); *h = 0; return 0; }
