#!/usr/bin/env python3
"""Learns forms of Mercury records whose modifiers go together in every way, such as size, cache hint and prefetch of a load.

Usage: ASK=path mercury-grid.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask; RECORDS are files of records, one a line. Guard and registers are found as mercury-slots.py
does. The other bits that differ among the records of a tag are taken four at a time; of each such field the values that
some record has are put beside those of all others, and nvlink is asked about each combination, MOST at most. What it makes
becomes tables by the fewest fields that decide a bit of the words; a combination that it doesn't write stays
unknown. Some hundred records made by chance are then predicted and asked, on each SM.
"""
import collections
import importlib
import itertools
import os
import random
import sys

slots = importlib.import_module('mercury-slots')
field, put, ask, SMS = slots.field, slots.put, slots.ask, slots.SMS
MOST = 1200
OFFSET = range(224, 248)
random.seed(11)


class Grid:
    def __init__(self, model, records):
        self.m = model
        self.offset()
        held = set(model.flips)
        for p, w in model.moves:
            held |= set(range(p, p + w))
        self.held = held
        self.vary = 0
        like = [x for x in map(self.rest, records) if bin(x ^ self.rest(model.base)).count('1') <= 24]
        for x in like:
            self.vary |= x ^ self.rest(model.base)
        self.bits = [i for i in range(32, 8 * model.size) if self.vary >> i & 1]
        self.fields = [list(g) for _, g in itertools.groupby(self.bits, lambda i: i // 4)]
        self.known = {}
        self.closure(like)

    def offset(self):
        """Takes the 24 bits of a memory operand's offset one by one where each moves a bit of its own."""
        m = self.m
        if m.size != 32:
            return
        moved = {}
        for i, a in zip(OFFSET, ask(m.sm, [m.base ^ 1 << i for i in OFFSET], m.size)):
            d = a[0] ^ m.words if a else 0
            if d and not d & (d - 1) and d not in moved.values():
                moved[i] = d
        if len(moved) == len(OFFSET):
            for slot in [s for s in m.moves if s[0] >= OFFSET[0]]:
                m.moves.pop(slot)
            m.flips.update({i: [d.bit_length() - 1] for i, d in moved.items()})

    def rest(self, x):
        for i in self.held:
            x = x & ~(1 << i) | self.m.base & (1 << i)
        return x

    def get(self, x, f):
        return sum((x >> i & 1) << k for k, i in enumerate(f))

    def closure(self, seen):
        """Asks about all values of a field beside all of the others."""
        self.try_all(set(seen))
        for _ in range(len(self.fields)):
            good = [x for x, w in self.known.items() if w is not None]
            new = set()
            for f in self.fields:
                mask = sum(1 << i for i in f)
                values = {x & mask for x in good}
                new |= {x & ~mask | v for x in good for v in values}
            new -= self.known.keys()
            if not new or len(self.known) > MOST:
                return
            self.try_all(set(random.sample(sorted(new), min(len(new), MOST - len(self.known) + 1))))

    def try_all(self, list_):
        todo = sorted(list_)
        m = self.m
        taken = sum(1 << q for moves in m.moves.values() for bits in moves.values() for q in bits)
        for x, a in zip(todo, ask(m.sm, todo, m.size)):
            ok = a is not None and a[1] == m.count and m.opcodes(a[0]) == m.opcodes() and not (a[0] ^ m.words) & taken
            self.known[x] = a[0] if ok else None

    def tables(self):
        """Which fields decide each bit of the words that differs: {fields: [bits]}."""
        good = {x: w for x, w in self.known.items() if w is not None}
        differ = 0
        for w in good.values():
            differ |= w ^ self.m.words
        by = collections.defaultdict(list)
        for q in range(128 * self.m.count):
            if not differ >> q & 1:
                continue
            for n in range(1, len(self.fields) + 1):
                found = None
                for some in itertools.combinations(range(len(self.fields)), n):
                    rows = {}
                    if all(rows.setdefault(tuple(self.get(x, self.fields[k]) for k in some), w >> q & 1) == w >> q & 1 for x, w in good.items()):
                        found = some
                        break
                if found:
                    by[found].append(q)
                    break
        return good, by

    def right(self, sm, good):
        m, tried = self.m, []
        for _ in range(slots.TRIALS):
            x, y = random.choice(sorted(good)), m.chance()
            for i in self.held:
                x = x & ~(1 << i) | y & (1 << i)
            tried.append(x)
        answers = ask(sm, tried, m.size)
        known = [(x, a) for x, a in zip(tried, answers) if a is not None]
        return len(known) >= slots.TRIALS * .9 and all(a == (m.make(x) ^ m.words ^ good[self.rest(x)], m.count) for x, a in known)

    def text(self, tag, sms, good, by):
        lines = self.m.text(tag, sms).splitlines()
        f = lines[1].split('\t')
        locks = []
        for lock in f[2].split():
            at, rest = lock.split('+')
            width, value = rest.split('=')
            at, width, value = int(at), int(width), int(value, 16)
            i = at
            while i < at + width:
                if self.vary >> i & 1:
                    i += 1
                    continue
                j = i
                while j < at + width and not self.vary >> j & 1:
                    j += 1
                locks.append('%d+%d=%x' % (i, j - i, value >> (i - at) & ((1 << (j - i)) - 1)))
                i = j
        lines[1] = '\t'.join([f[0], f[1], ' '.join(locks)])
        keys = sorted({self.get(x, self.bits) for x in good})
        lines.insert(2, 'key\t' + ','.join(map(str, self.bits)))
        f = lines[3].split('\t')
        lines[3] = '\t'.join([f[0], f[1], ' '.join('%x' % k for k in keys), str(len(good) + slots.TRIALS)])
        every = sum(1 << q for bits in by.values() for q in bits)
        f = lines[4].split('\t')
        lines[4] = '\t'.join([f[0]] + ['%032x' % (int(w, 16) & ~(every >> 128 * k) & ((1 << 128) - 1)) for k, w in enumerate(f[1:])])
        for some, bits in sorted(by.items()):
            key = [i for k in some for i in self.fields[k]]
            rows = {self.get(x, key): sum((w >> q & 1) << n for n, q in enumerate(bits)) for x, w in good.items()}
            lines.append('table\t%s\t%s\t%s' % (','.join(map(str, bits)), ','.join(map(str, key)), ' '.join('%x=%x' % r for r in sorted(rows.items()))))
        return '\n'.join(lines) + '\n'


def learn(tag, records, write):
    left, text = list(records), ''
    while left:
        size = len(left[0]) // 2
        x = int.from_bytes(bytes.fromhex(left[0]), 'little')
        left = left[1:]
        if slots.elsewhere(tag, x):
            continue
        for main in (100, 120):
            m = slots.Model(main, x, size)
            if m.ok and m.settle():
                break
        else:
            continue
        g = Grid(m, [int.from_bytes(bytes.fromhex(r), 'little') for r in records if len(r) == 2 * size])
        if len(g.bits) > 32:
            print(tag, m.opcodes(), len(g.bits), 'bits differ', flush=True)
            continue
        good, by = g.tables()
        sms = [sm for sm in SMS if g.right(sm, good) and g.right(sm, good)]
        print(tag, m.opcodes(), 'slots', sorted(m.moves), 'fields', g.fields, len(good), 'of', len(g.known), 'SMs', sms, flush=True)
        if tuple(sms) in slots.WHOLE:
            text += g.text(tag, sms, good, by)
            write(text)
            left = [r for r in left if g.rest(int.from_bytes(bytes.fromhex(r), 'little')) not in good]


if __name__ == '__main__':
    seeds = collections.defaultdict(list)
    for name in sys.argv[2].split(','):
        with open(name) as f:
            for line in f:
                line = line.strip()
                if line and line[0] != '#' and line not in seeds[line[:8]]:
                    seeds[line[:8]].append(line)
    for tag in sys.argv[1].split(','):
        def write(text, name=os.path.join(sys.argv[3], tag + '.tsv')):
            with open(name, 'w') as f:
                f.write(text)
        learn(tag, seeds[tag], write)
