#!/usr/bin/env python3
"""Learns forms of Mercury records whose words depend on which registers are equal.

Usage: ASK=path mercury-same.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask, RELEASE that of nvlink; RECORDS are files of records, one a line. Of each record the
guard and the registers are varied, few registers in many combinations, and put to nvlink.
What it answers is sorted: by whether there is a guard, and by which register is another
one, or the one behind another. Answers of a class that the same bits of the record make
are a shape; a question about two registers that no shape depends on is left out. The form
holds for the SMs on which new records, with any registers, get the words that it says.
Registers of 64 bits are even.
"""
import collections
import os
import random
import sys

from mercury_ask import answers

random.seed(11)
RELEASE = os.environ.get('RELEASE', '13.5')
SMS = [100, 103, 107, 110, 120, 121] if RELEASE == '13.5' else [100, 103, 110, 120, 121]
SCHEDULE = ((1 << 21) - 1) << 105
GUARD, NEGATION = (35, 5), 32
PT, RZ = 31, 1023


def get(x, at, width):
    return x >> at & ((1 << width) - 1)


def put(x, at, width, value):
    return x & ~(((1 << width) - 1) << at) | value << at


def ask(sm, records, size):
    """The words of each record, None where nvlink doesn't write it so."""
    out = []
    for i in range(0, len(records), 3000):
        part = [x.to_bytes(size, 'little').hex() for x in records[i:i + 3000]]
        lines = answers(sm, part) or [['', '']] * len(part)
        for text, f in zip(part, lines):
            back = f[f.index('record') + 1] if 'record' in f else None
            words = [int.from_bytes(bytes.fromhex(w), 'little') & ~SCHEDULE for w in f[2:f.index('record')]] if back else []
            bad = back != text or f[1] != 'R' or any(w == 0 for w in words)
            out.append(None if bad else tuple(words))
    return out


def opcodes(words):
    return ' '.join('%03x' % (w & 0xfff) for w in words)


class Fit:
    """What one shape says of its words: each bit is constant, or a bit of the record."""

    def __init__(self, samples, bits):
        self.words = len(samples[0][1])
        columns = collections.defaultdict(list)
        for b in bits:
            columns[tuple(x >> b & 1 for x, _ in samples)].append(b)
        self.const, self.copies, self.ok = 0, [], True
        for q in range(128 * self.words):
            column = tuple(o[q >> 7] >> (q & 127) & 1 for _, o in samples)
            if len(set(column)) == 1:
                self.const |= column[0] << q
                continue
            if column not in columns:
                self.ok = False
                return
            # Of several bits that would do, that which goes on where the last one ended.
            last = self.copies[-1] if self.copies else None
            near = [b for b in columns[column] if last and (q, b) == (last[0] + 1, last[1] + 1)]
            self.copies.append((q, (near or columns[column])[0]))

    def predict(self, x):
        w = self.const
        for q, b in self.copies:
            w |= (x >> b & 1) << q
        return tuple(w >> (128 * k) & ((1 << 128) - 1) for k in range(self.words))

    def text(self):
        t = 'const\t' + '\t'.join('%032x' % (self.const >> (128 * k) & ((1 << 128) - 1)) for k in range(self.words)) + '\n'
        i = 0
        while i < len(self.copies):
            q, b = self.copies[i]
            n = 1
            while i + n < len(self.copies) and self.copies[i + n] == (q + n, b + n) and (q + n) % 64:
                n += 1
            t += 'bit\t%d+%d\t%d\n' % (q, n, b)
            i += n
        return t


class Form:
    def __init__(self, base, size):
        self.base, self.size = base, size
        self.slots = [p for p in range(86, 8 * size - 9, 16) if get(base, p, 10) < 255 or get(base, p, 10) == RZ]
        self.wide = {p for p in self.slots if get(base, p - 6, 6) == 3}
        self.pairs = [(a, b, 0) for a in self.slots for b in self.slots if a < b]
        self.pairs += [(a, b, 1) for a in self.slots if a not in self.wide for b in self.slots if b in self.wide]
        self.bits = [b for p in self.slots for b in range(p, p + 8)] + [35, 36, 37, NEGATION]

    def vary(self, registers):
        x = self.base
        for p in self.slots:
            r = random.choice(registers)
            if p in self.wide:
                r &= ~1
            elif random.random() < .1:
                r = RZ
            x = put(x, p, 10, r)
        x = put(x, GUARD[0], GUARD[1], PT if random.random() < .5 else random.randrange(7))
        return put(x, NEGATION, 1, random.random() < .3 and get(x, *GUARD) != PT)

    def answers(self, x):
        return tuple(get(x, a, 10) == (get(x, b, 10) + n) & 1023 for a, b, n in self.pairs)

    def learn(self, sm):
        """Sorts answers into shapes; False where they can't be."""
        near = [4, 5, 6, 7, 90, 165, 254 & ~1]
        records = [self.vary(near if k % 3 else range(254)) for k in range(6000)]
        groups = collections.defaultdict(list)
        for x, o in zip(records, ask(sm, records, self.size)):
            if o:
                groups[get(x, *GUARD) == PT, self.answers(x)].append((x, o))
        self.shapes = []  # samples, classes
        for key, samples in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
            if len({opcodes(o) for _, o in samples}) > 1:
                return False
            for shape in self.shapes:
                both = shape[0] + samples
                if opcodes(shape[0][0][1]) == opcodes(samples[0][1]) and Fit(both, self.bits).ok:
                    shape[0], shape[1] = both, shape[1] + [key]
                    break
            else:
                if not Fit(samples, self.bits).ok:
                    return False
                self.shapes.append([samples, [key]])
        self.leave()
        self.shapes = [(Fit(samples, self.bits), keys) for samples, keys in self.shapes]
        return bool(self.shapes)

    def leave(self):
        """Leaves out the questions that no shape depends on."""
        kept = list(range(len(self.pairs)))
        for i in reversed(range(len(self.pairs))):
            fewer, chosen = [k for k in kept if k != i], {}
            if all(chosen.setdefault((g, tuple(e[k] for k in fewer)), n) == n for n, (_, keys) in enumerate(self.shapes) for g, e in keys):
                kept = fewer
        self.pairs = [self.pairs[k] for k in kept]
        for shape in self.shapes:
            shape[1] = sorted({(g, tuple(e[k] for k in kept)) for g, e in shape[1]})

    def predict(self, x):
        key = get(x, *GUARD) == PT, self.answers(x)
        for fit, keys in self.shapes:
            if key in keys:
                return fit.predict(x)
        return None

    def holds(self, sm):
        records = [self.vary(range(254) if k % 2 else [8, 9, 10, 40]) for k in range(600)]
        told = [(self.predict(x), o) for x, o in zip(records, ask(sm, records, self.size)) if o]
        known = [p == o for p, o in told if p]
        return len(known) > 400 and all(known)

    def text(self):
        free = set(self.bits) | {38, 39} | {b for p in self.slots for b in (p + 8, p + 9)}
        free -= {p for p in self.wide}
        locks, b = [], 33
        while b < 8 * self.size:
            n = 0
            while b + n < 8 * self.size and b + n not in free and n < 64:
                n += 1
            if n:
                locks.append('%d+%d=%x' % (b, n, get(self.base, b, n)))
            b += max(n, 1)
        t = 'model\t%s\t%s\n' % (' '.join(['35+5'] + ['%d+10' % p for p in self.slots]), ' '.join(locks))
        for a, b, n in self.pairs:
            t += 'same\t%d+10\t%d+10\t%x\n' % (a, b, n)
        t += 'key\t' + ','.join(map(str, list(range(35, 40)) + [NEGATION] + list(range(256, 256 + len(self.pairs))))) + '\n'
        for fit, keys in sorted(self.shapes, key=lambda s: -s[0].words):
            if not fit.words:
                continue
            numbers = set()
            for pt, equal in keys:
                for guard in [PT] if pt else list(range(7)) + list(range(32, 39)):
                    numbers.add(guard | sum(e << (6 + k) for k, e in enumerate(equal)))
            ops = ' '.join('%03x' % (fit.const >> (128 * k) & 0xfff) for k in range(fit.words))
            t += 'shape\t%s\t%s\t6000\n' % (ops, ' '.join('%x' % n for n in sorted(numbers))) + fit.text()
        return t


def work(tag, seeds):
    for seed in seeds:
        form = Form(int.from_bytes(bytes.fromhex(seed), 'little'), len(seed) // 2)
        if len(form.slots) < 2 or not form.learn(100) or not form.pairs and RELEASE == '13.5':
            continue
        good = [sm for sm in SMS if form.holds(sm)]
        print(tag, 'slots', form.slots, 'sames', form.pairs, 'shapes', len(form.shapes), 'SMs', good, flush=True)
        if good:
            return 'form\t%s\t%s\t%s\n' % (tag, ','.join(map(str, good)), RELEASE) + form.text()
    return ''


def main(tags, files, folder):
    records = collections.defaultdict(list)
    for name in files.split(','):
        with open(name) as f:
            for line in f:
                if line.strip() and line[0] != '#':
                    records[line[:8]].append(line.strip())
    for tag in tags.split(','):
        text = work(tag, records[tag][:8])
        if text:
            with open(os.path.join(folder, tag + '.tsv'), 'w') as f:
                f.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:4])
