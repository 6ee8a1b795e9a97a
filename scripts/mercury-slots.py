#!/usr/bin/env python3
"""Learns forms of Mercury records from one record each, for macros above all.

Usage: ASK=path mercury-slots.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask; RECORDS are files of records, one a line. A record's
guard and registers are found by putting values into each place: a place counts where
every bit of a value moves bits of the words of its own. All else keeps the value that
the record has. Some hundred records made by chance, equal and neighbouring registers among
them, are then predicted and asked, on each SM; nothing is written that nvlink
contradicts once.
"""
import collections
import os
import random
import sys

from mercury_ask import answers

random.seed(9)
SMS = [100, 103, 107, 110, 120, 121]
SCHEDULE = ((1 << 21) - 1) << 105
TRIALS = 240
# On sm_107 textures and surfaces are calls; sm_100 and sm_110 alone multiply matrices of integers in tensor memory.
WHOLE = {(100, 110), (100, 103, 107, 110, 120, 121), (100, 103, 107, 110), (100, 103, 107), (120, 121), (110, 120, 121), (100, 103, 110, 120, 121), (100, 103, 110)}


def field(x, p, w):
    return x >> p & ((1 << w) - 1)


def put(x, p, w, v):
    return x & ~(((1 << w) - 1) << p) | v << p


def ask(sm, records, size):
    """The words of each record as one number and their count, None where nvlink makes another record."""
    out = []
    for i in range(0, len(records), 2000):
        part = [r.to_bytes(size, 'little').hex() for r in records[i:i + 2000]]
        lines = answers(sm, part)
        if not lines:
            return [None] * len(records)
        for asked, f in zip(part, lines):
            back = f[f.index('record') + 1] if 'record' in f else None
            words = f[2:f.index('record')] if back else f[2:]
            if f[1] != 'R' or back != asked or not words:
                out.append(None)
                continue
            words = own([int.from_bytes(bytes.fromhex(w), 'little') & ~SCHEDULE for w in words])
            out.append((sum(w << 128 * k for k, w in enumerate(words)), len(words)))
    return out


def own(words):
    """Leaves away what surroundings add; see mercury/align.go."""
    while len(words) > 1 and words[0] & ((1 << 72) - 1) == 0xfffff984:
        words = words[1:]
    bare = [w & 0xfff if w >> 16 == 0 else 0 for w in words]
    if len(words) >= 3 and bare[-2:] == [0x3c6, 0x9b1]:
        words = words[:-2]
    if len(words) == 2 and bare[0] == 0x3c6 and words[1] & 0xfff == 0x5b2:
        words = words[1:]
    if len(words) >= 2 and words[0] & 0xfff == words[1] & 0xfff == 0x992 and words[0] >> 64 == 0x8000:
        words = words[1:]
    return words


class Model:
    def __init__(self, sm, record, size):
        self.sm, self.base, self.size = sm, record, size
        self.moves = {}  # slot: {bit of its value: bits of the words}
        self.zero = set()  # slots that may hold RZ or PT
        self.even = set()  # slots of pairs, which begin at an even register
        self.flips = {}  # single bits: bits of the words
        first = ask(sm, [record], size)[0]
        self.ok = first is not None
        if self.ok:
            self.words, self.count = first
            self.find()

    def opcodes(self, words=None):
        v = self.words if words is None else words
        return ' '.join('%03x' % field(v, 128 * k, 12) for k in range(self.count))

    def find(self):
        places = [(35, 5, 3)] + [(p, 10, 8) for p in range(86, 8 * self.size - 9, 2)] + [(p, 5, 3) for p in range(91, 8 * self.size - 4, 8)]
        queries, of = [], []
        for p, w, n in places:
            for v in [0] + [1 << k for k in range(n - (w == 10))] + [(1 << w) - 1]:
                queries.append(put(self.base, p, w, v))
                of.append((p, w, n, v))
        singles = [32]  # the guard's inversion
        answers = ask(self.sm, queries + [self.base ^ (1 << i) for i in singles], self.size)
        seen = collections.defaultdict(dict)
        for (p, w, n, v), a in zip(of, answers):
            seen[p, w, n][v] = a
        used = 0
        for (p, w, n), by in seen.items():
            if used >> p & ((1 << w) - 1) or not self.place(p, w, n, by):
                continue
            used |= ((1 << w) - 1) << p
        for i, a in zip(singles, answers[len(queries):]):
            if a and a[1] == self.count and self.opcodes(a[0]) == self.opcodes() and a[0] != self.words:
                d = a[0] ^ self.words
                self.flips[i] = [q for q in range(128 * self.count) if d >> q & 1]

    def place(self, p, w, n, by):
        full = (1 << w) - 1
        value = field(self.base, p, w)
        if value != full and value >= (255 if w == 10 else 7):
            return False
        zero = by[0]
        if zero is None or zero[1] != self.count or self.opcodes(zero[0]) != self.opcodes():
            return False
        moves, taken = {}, 0
        first = 1 if w == 10 and by[1] is None else 0
        for k in range(first, n - (w == 10)):
            a = by[1 << k]
            if a is None or a[1] != self.count:
                return False
            d = a[0] ^ zero[0]
            if not d or d & zero[0] or d & taken:
                return False
            taken |= d
            moves[k] = [q for q in range(128 * self.count) if d >> q & 1]
        if w == 10:  # the top bit moves what stands above the others
            moves[7] = [q + 1 for q in moves[6]]
            for q in moves[7]:
                taken |= 1 << q
            if any([q + k - first for q in moves[first]] != moves[k] for k in range(first, 8)):
                return False
        if first:
            self.even.add((p, w))
        elif by[full] is not None and by[full][1] == self.count and by[full][0] == zero[0] | taken:
            self.zero.add((p, w))
        self.moves[p, w] = moves
        return True

    def make(self, x):
        v = self.words
        for (p, w), moves in self.moves.items():
            value = field(x, p, w)
            for k, bits in moves.items():
                for q in bits:
                    v = v & ~(1 << q) | (value >> k & 1) << q
        for i, bits in self.flips.items():
            if (x ^ self.base) >> i & 1:
                for q in bits:
                    v ^= 1 << q
        return v

    def chance(self):
        x, last = self.base, 0
        for p, w in self.moves:
            r = random.random()
            if r < .15 and (p, w) in self.zero:
                x = put(x, p, w, (1 << w) - 1)
            elif r < .5 and w == 10:  # registers that are equal or neighbours may matter
                x = put(x, p, w, min(249, max(0, last + random.randrange(-1, 2))) & self.mask(p, w))
            elif r < .95:
                last = random.randrange(0, 7 if w == 5 else 250)
                x = put(x, p, w, last & self.mask(p, w))
        for i in self.flips:
            x ^= random.getrandbits(1) << i
        return x

    def mask(self, p, w):
        return ~1 if (p, w) in self.even else ~0

    def right(self, sm):
        """Whether all predictions hold; places that make one wrong go."""
        tried = [self.chance() for _ in range(TRIALS)]
        answers = ask(sm, tried, self.size)
        known = [(x, a) for x, a in zip(tried, answers) if a is not None]
        return len(known) >= TRIALS * .9 and all(a == (self.make(x), self.count) for x, a in known)

    def settle(self):
        while self.moves:
            if self.right(self.sm):
                return True
            # Drops the place without which most is right.
            worst = None
            for slot in list(self.moves):
                kept = self.moves.pop(slot)
                if self.right(self.sm):
                    worst = slot
                    break
                self.moves[slot] = kept
            if worst is None:
                self.moves.pop(max(self.moves))
        return False

    def text(self, tag, sms):
        slots = [s for s in sorted(self.moves) if s in self.zero]
        free = set(self.flips)
        for p, w in self.moves:
            free |= set(range(p, p + w)) if (p, w) in self.zero else set(range(p + ((p, w) in self.even), p + (8 if w == 10 else 3)))
        locks, i = [], 32
        while i < 8 * self.size:
            if i in free:
                i += 1
                continue
            j = i
            while j < 8 * self.size and j not in free and j - i < 32:
                j += 1
            locks.append('%d+%d=%x' % (i, j - i, field(self.base, i, j - i)))
            i = j
        const, lines = self.words, []
        for (p, w), moves in sorted(self.moves.items()):
            first = min(moves)
            n = (8 if w == 10 else 3) - first
            for q in moves[first]:
                const &= ~(((1 << n) - 1) << q)
                lines.append('bit\t%d+%d\t%d' % (q, n, p + first))
        for i, bits in self.flips.items():
            for q in bits:
                same = field(self.words, q, 1) == field(self.base, i, 1)
                const &= ~(1 << q)
                lines.append('%s\t%d+1\t%d' % ('bit' if same else 'not', q, i))
        head = ['form\t%s\t%s\t13.5' % (tag, ','.join(map(str, sms))), 'model\t%s\t%s' % (' '.join('%d+%d' % s for s in slots), ' '.join(locks)),
                'shape\t%s\t0\t%d' % (self.opcodes(), TRIALS), 'const' + ''.join('\t%032x' % field(const, 128 * k, 128) for k in range(self.count))]
        return '\n'.join(head + lines) + '\n'

    def covers(self, x):
        for p, w in self.moves:
            x = put(x, p, w, field(self.base, p, w))
        for i in self.flips:
            x = x & ~(1 << i) | self.base & (1 << i)
        return x == self.base


def elsewhere(tag, x):
    """Whether a load is from bank 0x49: where that lies depends on the kernel, which no rule can say."""
    return tag.startswith('0222') and field(x, 96, 8) == 0x49


def learn(tag, records, write):
    models, text = [], ''
    for r in records:
        size = len(r) // 2
        x = int.from_bytes(bytes.fromhex(r), 'little')
        if elsewhere(tag, x):
            continue
        if any(m.covers(x) for m in models):
            continue
        for main in (100, 120):
            m = Model(main, x, size)
            if m.ok and m.settle():
                break
        else:
            continue
        models.append(m)
        sms = [sm for sm in SMS if m.right(sm)]
        # One that holds on some SMs of a kind by chance alone holds on none.
        sms = [sm for sm in sms if m.right(sm)]
        if tuple(sms) not in WHOLE:
            print(tag, m.opcodes(), 'not for', sms, flush=True)
            sms = []
        print(tag, m.opcodes(), 'slots', sorted(m.moves), 'RZ', sorted(m.zero), 'flips', sorted(m.flips), 'SMs', sms, flush=True)
        if sms:
            text += m.text(tag, sms)
            write(text)


if __name__ == '__main__':
    seeds = collections.defaultdict(list)
    for name in sys.argv[2].split(','):
        for line in open(name):
            line = line.strip()
            if line and line[0] != '#' and line not in seeds[line[:8]]:
                seeds[line[:8]].append(line)
    for tag in sys.argv[1].split(','):
        def write(text, name=os.path.join(sys.argv[3], tag + '.tsv')):
            with open(name, 'w') as f:
                f.write(text)
        learn(tag, seeds[tag][:60], write)
