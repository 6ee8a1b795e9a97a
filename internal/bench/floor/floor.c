// What the bytes of a link cost without its meaning: a yardstick for linkers.
//
//   gcc -O2 -o floor floor.c; ./floor OUTPUT INPUT ...
//
// It maps the inputs, hashes every name of a section or symbol once, copies every
// section, adds the value of its symbol to the place of every relocation, and
// writes one string table, one symbol table and one header table. It decides
// nothing, so that a linker can't be faster on one core.

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { huge = 2 << 20 };

// table returns zeroed memory in huge pages.
static void *table(size_t size) {
	char *p = mmap(0, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) exit(2);
	p = (char *)(((uintptr_t)p + huge - 1) & ~(uintptr_t)(huge - 1));
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

// Names, numbered from 1 by their first appearance.
struct slot { uint32_t hash, id; };
static struct slot *slots;
static uint32_t mask, count;
static const char **text;
static uint32_t *length, *offset;

static uint32_t name(const char *s) {
	size_t n = strlen(s), left = n;
	const char *p = s;
	uint64_t h = 0x9e3779b97f4a7c15;
	for (; left >= 8; left -= 8, p += 8) {
		uint64_t word;
		memcpy(&word, p, 8);
		h = (h ^ word) * 0xff51afd7ed558ccd;
		h ^= h >> 32;
	}
	for (; left; left--) h = (h ^ (uint8_t)*p++) * 0xc4ceb9fe1a85ec53;
	h ^= h >> 29;
	uint32_t key = (uint32_t)h | 1, at = (uint32_t)(h >> 16) & mask;
	for (; slots[at].hash; at = (at + 1) & mask) {
		uint32_t id = slots[at].id;
		if (slots[at].hash == key && length[id] == n && !memcmp(text[id], s, n)) return id;
	}
	slots[at] = (struct slot){key, ++count};
	text[count] = s;
	length[count] = n;
	return count;
}

struct input {
	const char *data;
	Elf64_Ehdr *head;
	Elf64_Shdr *section;
	Elf64_Sym *symbol;
	const char *names, *section_names;
	size_t symbols, size;
	uint64_t *at;      // by section: where it lies in the output
	uint32_t *symbol_name;
};

static void open_input(struct input *in, const char *path) {
	int f = open(path, O_RDONLY);
	struct stat st;
	if (f < 0 || fstat(f, &st)) { perror(path); exit(2); }
	in->size = st.st_size;
	in->data = mmap(0, in->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, f, 0);
	if (in->data == MAP_FAILED) { perror(path); exit(2); }
	close(f);
	in->head = (void *)in->data;
	in->section = (void *)(in->data + in->head->e_shoff);
	in->section_names = in->data + in->section[in->head->e_shstrndx].sh_offset;
	for (int i = 1; i < in->head->e_shnum; i++)
		if (in->section[i].sh_type == SHT_SYMTAB) {
			in->symbol = (void *)(in->data + in->section[i].sh_offset);
			in->symbols = in->section[i].sh_size / sizeof(Elf64_Sym);
			in->names = in->data + in->section[in->section[i].sh_link].sh_offset;
		}
}

static char *out;
static size_t end = sizeof(Elf64_Ehdr);

static void *append(const void *data, size_t size, size_t align) {
	if (align > 1) end = (end + align - 1) & -align;
	void *p = memcpy(out + end, data, size);
	end += size;
	return p;
}

static void patch(const struct input *in, const Elf64_Shdr *rel, const Elf64_Sym *symbols, const uint32_t *symbol_of) {
	size_t record = rel->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	const Elf64_Shdr *target = &in->section[rel->sh_info];
	uint64_t base = in->at[rel->sh_info];
	for (size_t i = 0; base && i < rel->sh_size / record; i++) {
		const Elf64_Rela *r = (void *)(in->data + rel->sh_offset + i * record);
		if (r->r_offset + 8 > target->sh_size) continue;
		uint32_t word, value = symbols[symbol_of[in->symbol_name[r->r_info >> 32]]].st_value;
		if (rel->sh_type == SHT_RELA) value += r->r_addend;
		memcpy(&word, out + base + r->r_offset + 4, 4);
		word ^= value;
		memcpy(out + base + r->r_offset + 4, &word, 4);
	}
}

int main(int argc, char **argv) {
	int n = argc - 2;
	if (n < 1) return 2;
	struct input *in = calloc(n, sizeof *in);
	size_t bytes = 0, sections = 1, symbols = 1;
	for (int i = 0; i < n; i++) {
		open_input(&in[i], argv[i + 2]);
		bytes += in[i].size;
		sections += in[i].head->e_shnum;
		symbols += in[i].symbols;
	}
	size_t names = sections + symbols;
	for (mask = 1; mask < 2 * names; mask *= 2) {}
	slots = table(mask-- * sizeof *slots);
	text = table((names + 1) * sizeof *text);
	length = table((names + 1) * sizeof *length);
	offset = table((names + 1) * sizeof *offset);
	uint32_t *symbol_of = table((names + 1) * sizeof *symbol_of);
	Elf64_Sym *merged = table((symbols + 1) * sizeof *merged);
	Elf64_Shdr *headers = table((sections + 1) * sizeof *headers);
	uint64_t *at = table(sections * sizeof *at);
	uint32_t *symbol_names = table(symbols * sizeof *symbol_names);
	out = table(bytes + bytes / 4 + (1 << 20));

	size_t placed = 0, defined = 0;
	for (int i = 0; i < n; i++) {
		in[i].at = at;
		in[i].symbol_name = symbol_names;
		at += in[i].head->e_shnum;
		symbol_names += in[i].symbols;
		for (int k = 1; k < in[i].head->e_shnum; k++) {
			Elf64_Shdr h = in[i].section[k];
			h.sh_name = name(in[i].section_names + h.sh_name);
			if (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_STRTAB || h.sh_type == SHT_NOBITS || h.sh_type == SHT_REL || h.sh_type == SHT_RELA) continue;
			const char *data = in[i].data + in[i].section[k].sh_offset;
			in[i].at[k] = h.sh_offset = (char *)append(data, h.sh_size, h.sh_addralign) - out;
			headers[placed++] = h;
		}
		for (size_t k = 1; k < in[i].symbols; k++) {
			uint32_t id = in[i].symbol_name[k] = name(in[i].names + in[i].symbol[k].st_name);
			if (!symbol_of[id]) symbol_of[id] = ++defined;
			else if (in[i].symbol[k].st_shndx == SHN_UNDEF) continue;
			merged[symbol_of[id]] = in[i].symbol[k];
			merged[symbol_of[id]].st_name = id;
		}
	}
	for (int i = 0; i < n; i++)
		for (int k = 1; k < in[i].head->e_shnum; k++)
			if (in[i].section[k].sh_type == SHT_RELA || in[i].section[k].sh_type == SHT_REL)
				patch(&in[i], &in[i].section[k], merged, symbol_of);

	for (uint32_t i = 1; i <= count; i++) offset[i] = (char *)append(text[i], length[i] + 1, 1) - out;
	for (size_t i = 1; i <= defined; i++) {
		merged[i].st_name = offset[merged[i].st_name];
		append(&merged[i], sizeof merged[i], 8);
	}
	for (size_t i = 0; i < placed; i++) {
		headers[i].sh_name = offset[headers[i].sh_name];
		append(&headers[i], sizeof headers[i], 8);
	}
	int f = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	for (size_t k = 0; k < end;) {
		ssize_t wrote = write(f, out + k, end - k);
		if (wrote <= 0) { perror(argv[1]); return 2; }
		k += wrote;
	}
	return close(f);
}
