#!/usr/bin/env python3
"""Learns forms of texture and surface records for sm_107, where the words are a call of the driver.

Usage: ASK=path mercury-calls.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask; RECORDS are files of records, one a line. Such words are the same
for all tags but for the number that goes to R4, for which fields of the record go to which
argument, and for where the results go: mercury/call.go makes them, and made() here. Operands are
found by putting two registers into each place. The bits that choose arguments or results become
the key, of which values are combined that some record has; those that change the number alone
become tables by the bits that act together. A value of these that no record has is taken where
it gives a number of its own. Some thousand records made by chance are predicted and asked at
last, low registers and neighbours among them; a form that is contradicted once isn't written.
"""
import collections
import itertools
import os
import random
import sys

from mercury_ask import answers

random.seed(107)
SM = 107
SCHEDULE = ((1 << 21) - 1) << 105
SAVED = [(0, 1), (3, 1), (4, 2), (6, 2), (8, 2), (10, 2), (12, 2), (14, 2), (20, 2)]
TEMPORARY = [9, 10, 11, 12, 13, 14, 15, 20, 21]  # the last free one is taken
RZ, PT = 1023, 31
TRIALS = 2000
WIDEST = 9  # bits of a table's key


def field(x, p, w):
    return x >> p & ((1 << w) - 1)


def put(x, p, w, v):
    return x & ~(((1 << w) - 1) << p) | v << p


def ask(records, size):
    """The words of each record, None where nvlink makes another of it."""
    out = []
    for i in range(0, len(records), 1000):
        part = [r.to_bytes(size, 'little').hex() for r in records[i:i + 1000]]
        lines = answers(SM, part)
        for asked, f in zip(part, lines or [[]] * len(part)):
            if len(f) < 24 or f[1] != 'R' or f[-1] != asked:
                out.append(None)
            else:
                out.append([int.from_bytes(bytes.fromhex(w), 'little') & ~SCHEDULE for w in f[2:-2]])
    return out


def word(lo, hi=0):
    return lo | hi << 64


def store(at, r, wide=False):
    return word(0x01007987 | r << 32 | at << 40, 0x08100aff if wide else 0x081008ff)


def load(r, at, wide=False):
    return word(0xff01007983 | r << 16 | at << 40, 0x08100a00 if wide else 0x08100800)


def move(d, s):
    return word(0x7202 | d << 16 | s << 32, 0xf00)


def made(number, plan, reg, guard=PT, inverse=0, pred=PT):
    """The words of a call; a plan is arguments, what goes on the stack, and results."""
    args, stack, results = plan
    value = lambda source: (reg[source[0]] + source[1]) & 255
    at = own = 4 * len(stack)
    guarded = guard != PT or inverse
    at += 4 * guarded
    slot, saves = {}, []
    for r, n in SAVED:
        if n == 2:
            at = (at + 7) // 8 * 8
        slot[r], slot[r + n - 1] = at, at + 4 * n - 4
        saves.append(store(at, r, n == 2))
        at += 4 * n
    frame = at + 8
    out = [word(0x01017835 | (-frame & 0xffffffff) << 32, 0x078e0000)]
    if guarded:
        out += [word(0x1400007352), word(0x1a147355), store(own, 20), word(0x147806, 0xe0100 | (guard & 7) << 23 | inverse << 26),
                word(0x141a007356), word(0x147353)]
    out += saves + [store(4 * k, 255 if s is None else value(s)) for k, s in enumerate(stack)]
    out.append(word(0x47802 | number << 32, 0xf00))
    gone = {4}
    for d, kind, source in args:
        if kind == 'z':
            out.append(word(0x7802 | d << 16, 0xf00))
        elif kind == 'u':
            out.append(word(0x7c02 | d << 16 | value(source) << 32, 0x8000f00))
            gone.add(d | 1)
        elif value(source) != d:
            v = value(source)
            out.append(load(d, slot[v]) if v in gone else move(d, v))
        gone.add(d)
    out += [word(0x7fff147803), store(at, 20), word(0x18147355), store(at + 4, 20), word(0x1a147355), word(0x14ff147212, 0x78e33ff), word(0x1418007356),
            word(0x1014794e), word(0x7943, 0x3c00000), word(0x7948, 0x3800000), load(20, at + 4), word(0x1418007356), load(20, at), word(0x7f14007804)]
    where = {s: s for d, s in results if d is not None and reg[d[0]] != RZ}
    if pred != PT:
        out.append(word(0xff0400720c, 0x03f05070 | pred << 17))
        where[4] = 4
    left = [(value(d), s) for d, s in results if d is not None and reg[d[0]] != RZ]
    targets = {d for d, _ in left}
    free = [t for t in TEMPORARY if t not in targets]
    for d, s in left:
        was = where.pop(s)
        if d == was:
            continue
        for other in [o for o, r in where.items() if r == d]:
            where[other] = free.pop()
            out.append(move(where[other], d))
        out.append(move(d, was))
        if was in TEMPORARY:
            free.append(was)
    for r, n in SAVED:
        kept = [x for x in range(r, r + n) if x not in targets]
        out += [load(r, slot[r], True)] if len(kept) == 2 else [load(x, slot[x]) for x in kept]
    if guarded:
        out += [word(0x1400007352), load(20, own), word(0x141a007356), word(0x147353)]
    out.append(word(0x01017835 | frame << 32, 0x078e0000))
    if guarded:
        n = 4 * len(out)
        out.insert(0, word(0x107007547 | (n & 255) << 16 | n >> 8 << 34, 1 << 27 | (guard & 7) << 23 | (1 - inverse) << 26))
    return out


def op(w):
    return w & 0xfff


class Form:
    def __init__(self, tag, records):
        self.tag, self.size = tag, len(records[0]) // 2
        self.bits = 8 * self.size
        self.records = [int.from_bytes(bytes.fromhex(r), 'little') for r in records]
        self.records = [x for x, a in zip(self.records, ask(self.records, self.size)) if a]
        self.regs, self.pred = {}, None
        for x in self.records[:6]:
            self.operands(x)
        self.base = {p: 40 + 24 * k for k, p in enumerate(sorted(self.regs))}

    def operands(self, x):
        """Places of operands, and whether they are uniform ones."""
        places = range(86, self.bits - 9, 8)
        got = ask([put(x, p, 10, v) for p in places for v in (100, 102)], self.size)
        for k, p in enumerate(places):
            a, b = got[2 * k], got[2 * k + 1]
            if not a or not b or len(a) != len(b):
                continue
            d = [(u, v) for u, v in zip(a, b) if u != v]
            uniform = [op(u) == 0xc02 for u, _ in d]
            if d and all(op(u) in (0x202, 0xc02, 0x987) and any(field(v, q, 8) - field(u, q, 8) == 2 for q in (16, 32)) for u, v in d):
                self.regs[p] = all(uniform)
        for p in range(91, self.bits - 4, 8):
            a = ask([put(x, p, 5, v) for v in (2, 3)], self.size)
            if all(a) and [[field(w, 81, 3) for w in b if op(w) == 0x20c] for b in a] == [[2], [3]]:
                self.pred = p

    def bare(self, x):
        """A record without guard and predicate, and with a register of its own in each operand."""
        x = put(x, 32, 8, 0xf8)
        if self.pred:
            x = put(x, self.pred, 5, PT)
        for p, v in self.base.items():
            x = put(x, p, 10, v)
        return x

    def read(self, words):
        """(number, plan) of a bare record's words."""
        if not words:
            return None
        source = lambda v: next(((p, v - b) for p, b in self.base.items() if b <= v < b + 24), None)
        k = next((k for k, w in enumerate(words) if op(w) == 0x802), None)
        if k is None:
            return None
        saves = [w for w in words[:k] if op(w) == 0x987]
        stack = tuple(None if field(w, 32, 8) == 255 else source(field(w, 32, 8)) for w in saves[len(SAVED):])
        number, args = field(words[k], 32, 32), []
        for w in words[k + 1:]:
            if op(w) == 0x803:
                break
            kind = {0x802: 'z', 0xc02: 'u', 0x202: 'r'}.get(op(w))
            args.append((field(w, 16, 8), kind, None if kind == 'z' else source(field(w, 32, 8))))
        tail = words[next(k for k, w in enumerate(words) if op(w) == 0x804) + 1:]
        results = tuple((source(field(w, 16, 8)), field(w, 32, 8)) for w in itertools.takewhile(lambda w: op(w) == 0x202, tail))
        plan = (tuple(args), stack, results)
        known = all(k and (k == 'z' or s) for _, k, s in args) and all(d for d, _ in results)
        return (number, plan) if known and made(number, plan, self.base) == words else None

    def look(self, records):
        return [self.read(a) for a in ask(records, self.size)]

    def apart(self, most):
        """Records that differ from each other as much as possible."""
        out, left = self.seeds[:1], self.seeds[1:]
        while left and len(out) < most:
            out.append(max(left, key=lambda x: min(bin(x ^ y).count('1') for y in out)))
            left.remove(out[-1])
        return out

    def study(self):
        seeds = list(dict.fromkeys(self.bare(x) for x in self.records))
        seen = self.look(seeds)
        self.seeds = [x for x, a in zip(seeds, seen) if a]
        self.seen = {x: a for x, a in zip(seeds, seen) if a}
        taken = {i for p in self.regs for i in range(p, p + 10)} | set(range(32, 40))
        if self.pred:
            taken |= set(range(self.pred, self.pred + 5))
        some = self.apart(36)
        places = [i for i in range(40, self.bits) if i not in taken]
        got = self.look([x ^ 1 << i for x in some for i in places])
        self.plan, self.number = set(), set()
        effect = {}
        for n, (x, i) in enumerate((x, i) for x in some for i in places):
            a, was = got[n], self.seen[x]
            effect[x, i] = a
            if a is None or a[1] != was[1]:
                self.plan.add(i)
            if a and a[0] != was[0]:
                self.number.add(i)
        vary = 0
        for x in self.seeds:
            vary |= x ^ self.seeds[0]
        self.locked = [i for i in places if i not in self.plan | self.number and not vary >> i & 1]
        self.vary = [i for i in places if vary >> i & 1]
        self.key = sorted(self.plan)
        # Bits whose effects on the number don't add up act together.
        acting = sorted(self.number)
        pairs = list(itertools.combinations(acting, 2))
        joined = {i: {i} for i in acting}
        got = self.look([x ^ 1 << i ^ 1 << j for x in some[:6] for i, j in pairs])
        for n, (x, (i, j)) in enumerate((x, q) for x in some[:6] for q in pairs):
            a, u, v = got[n], effect[x, i], effect[x, j]
            if a and u and v and a[0] ^ self.seen[x][0] != u[0] ^ v[0] and joined[i] is not joined[j]:
                joined[i] |= joined[j]
                for k in joined[j]:
                    joined[k] = joined[i]
        self.groups = [tuple(sorted(g)) for g in {id(g): g for g in joined.values()}.values()]

    def value(self, x, bits):
        return sum((x >> i & 1) << k for k, i in enumerate(bits))

    def with_value(self, x, bits, v):
        for k, i in enumerate(bits):
            x = x & ~(1 << i) | (v >> k & 1) << i
        return x

    def fields(self):
        """The bits of the key in runs: values of each go with those of all others."""
        runs = []
        for i in self.key:
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        return runs

    def plans(self):
        """Which plan a value of the key chooses."""
        own = [sorted({self.value(x, f) for x in self.seeds} | self.alone(f)) for f in self.fields()]
        if len(list(itertools.islice(itertools.product(*own), 3001))) > 3000:
            keys = {self.value(x, self.key) for x in self.seeds}
        else:
            keys = {self.value(self.join(c), self.key) for c in itertools.product(*own)}
        keys = sorted(keys)
        got = self.look([self.with_value(self.seeds[0], self.key, k) for k in keys])
        # A bit may matter beside values of the key alone that no record has.
        more, plans = set(), {}
        for k, a in zip(keys, got):
            if a and plans.setdefault(a[1], k) == k:
                x = self.with_value(self.seeds[0], self.key, k)
                others = [i for i in self.vary if i not in self.key]
                more |= {i for i, b in zip(others, self.look([x ^ 1 << i for i in others])) if not b or b[1] != a[1]}
        if more:
            self.plan |= more
            self.key = sorted(self.plan)
            return self.plans()
        self.by = {k: a[1] for k, a in zip(keys, got) if a}
        self.numbers = {k: a[0] for k, a in zip(keys, got) if a}

    def alone(self, f):
        """Values of a field that choose a plan which no other does, but for kinds of operands."""
        if len(f) > 6 or any(p - 6 <= i < p for p in self.regs for i in f):
            return set()
        got = self.look([self.with_value(self.seeds[0], f, v) for v in range(1 << len(f))])
        count = collections.Counter(a[1] for a in got if a)
        return {v for v, a in enumerate(got) if a and count[a[1]] == 1}

    def join(self, values):
        x = 0
        for f, v in zip(self.fields(), values):
            x = self.with_value(x, f, v)
        return x

    def tables(self):
        self.rows = {}
        start = self.seeds[0]
        for g in self.groups:
            free = [i for i in g if i not in self.plan]
            allowed = {self.value(k, [self.key.index(i) for i in g if i in self.plan]) for k in self.by}
            inkey = [i for i in g if i in self.plan]
            if len(g) > WIDEST:
                print(self.tag, 'bits', g, 'act together: too many')
                self.by = {}
                return
            values = [v for v in range(1 << len(g)) if self.value(self.with_value(0, g, v), inkey) in allowed]
            got = self.look([self.with_value(start, g, v) for v in values])
            had = {self.value(x, g) for x in self.seeds}
            count = collections.Counter(a[0] for a in got if a)
            self.rows[g] = {v: a[0] ^ self.seen[start][0] for v, a in zip(values, got) if a and (v in had or not free or count[a[0]] == 1)}
        self.rest()

    def rest(self):
        """Adds a table for what the key does to the number by several bits at once, such as masks of which records have one bit alone."""
        start = self.seeds[0]
        left = {}
        for k, number in self.numbers.items():
            x = self.with_value(start, self.key, k)
            for g, rows in self.rows.items():
                number ^= rows.get(self.value(x, g), 0)
            left[k] = number ^ self.seen[start][0]
        if any(left.values()):
            tabled = {i for g in self.rows for i in g}
            bits = [i for n, i in enumerate(self.key) if i not in tabled and len({k >> n & 1 for k in self.by}) > 1]
            rows = {}
            for k, d in left.items():
                if rows.setdefault(self.value(self.with_value(0, self.key, k), bits), d) != d:
                    print(self.tag, 'the key does more to the number than its own bits say')
                    self.by = {}
            self.rows[tuple(bits)] = rows

    def predict(self, x):
        """(number, plan) by the rules; None where they have none."""
        plan = self.by.get(self.value(x, self.key))
        number = self.seen[self.seeds[0]][0]
        for g, rows in self.rows.items():
            v = self.value(x, g)
            if v not in rows:
                return None
            number ^= rows[v]
        if self.pred and field(x, self.pred, 5) != PT:
            number ^= self.with_pred
        return (number, plan) if plan else None

    def chance(self):
        x = self.with_value(random.choice(self.seeds), self.key, random.choice(list(self.by)))
        for g, rows in self.rows.items():
            if random.random() < .5 and not set(g) & self.plan:
                x = self.with_value(x, g, random.choice(list(rows)))
        for p, uniform in self.regs.items():
            v = random.randrange(60) if uniform else random.choice([random.randrange(26), random.randrange(26), random.randrange(250)])
            if not uniform and random.random() < .05:
                v = RZ
            x = put(x, p, 10, v)
        if random.random() < .6:
            x = put(x, 32, 8, random.randrange(7) << 3 | random.getrandbits(1))
        if self.pred and random.random() < .2:
            x = put(x, self.pred, 5, random.randrange(7))
        return x

    def twice(self, x, plan):
        """Whether two results go to one register, of which no record is."""
        to = [field(x, d[0], 10) + d[1] & 255 for d, _ in plan[2] if field(x, d[0], 10) != RZ]
        return len(set(to)) < len(to)

    def right(self):
        self.with_pred = 0
        if self.pred:
            a = ask([put(self.seeds[0], self.pred, 5, 2)], self.size)[0]
            self.with_pred = field(next(w for w in a if op(w) == 0x802), 32, 32) ^ self.seen[self.seeds[0]][0]
        tried = [x for x in (self.chance() for _ in range(TRIALS)) if self.predict(x) and not self.twice(x, self.predict(x)[1])]
        good, wrong = 0, 0
        for x, a in zip(tried, ask(tried, self.size)):
            if not a:
                continue
            number, plan = self.predict(x)
            reg = {p: field(x, p, 10) for p in self.regs}
            if made(number, plan, reg, field(x, 35, 5), field(x, 32, 1), field(x, self.pred, 5) if self.pred else PT) == a:
                good += 1
            else:
                wrong += 1
                if wrong < 4:
                    print(self.tag, 'other words of', x.to_bytes(self.size, 'little').hex(), '%x' % number, plan)
        print(self.tag, 'operands', self.regs, 'predicate', self.pred, 'key', self.key, 'values', len(self.by), 'tables', self.groups, 'right', good, 'wrong', wrong, 'of', len(tried), flush=True)
        return not wrong and good > len(tried) / 2

    def text(self):
        slots = sorted([(35, 5)] + [(p, 10) for p in self.regs] + ([(self.pred, 5)] if self.pred else []))
        locks, held = [], sorted(self.locked + [33, 34])
        for i in held:
            if locks and locks[-1][0] + locks[-1][1] == i and locks[-1][1] < 32:
                locks[-1][1] += 1
            else:
                locks.append([i, 1])
        x = self.seeds[0]
        out = ['form\t%s\t%d\t13.5' % (self.tag, SM),
               'model\t%s\t%s' % (' '.join('%d+%d' % s for s in slots), ' '.join('%d+%d=%x' % (p, w, field(x, p, w)) for p, w in locks))]
        if self.key:
            out.append('key\t' + ','.join(map(str, self.key)))
        plans = collections.defaultdict(list)
        for k, plan in self.by.items():
            plans[plan].append(k)
        for plan, keys in sorted(plans.items(), key=lambda p: min(p[1])):
            out += ['shape\t802\t%s\t%d' % (' '.join('%x' % k for k in sorted(keys)), TRIALS), None, 'call\t' + self.said(plan)]
            const, lines = self.seen[x][0], []
            tables = [(g, {v: d for v, d in rows.items()}) for g, rows in sorted(self.rows.items())]
            if self.pred and self.with_pred:
                g = tuple(range(self.pred, self.pred + 5))
                tables.append((g, {**{v: self.with_pred for v in range(7)}, PT: 0}))
            # Tables that give a bit in common can't stand apart: their keys go together.
            while True:
                touch = [0] * len(tables)
                for n, (_, rows) in enumerate(tables):
                    for d in rows.values():
                        touch[n] |= d
                both = next(((a, b) for a, b in itertools.combinations(range(len(tables)), 2) if touch[a] & touch[b]), None)
                if both is None:
                    break
                (g, r), (h, s) = tables[both[0]], tables[both[1]]
                tables = [t for n, t in enumerate(tables) if n not in both]
                tables.append((g + h, {v | w << len(g): d ^ e for v, d in r.items() for w, e in s.items()}))
            for (g, rows), bits in zip(tables, touch):
                to = [i for i in range(32) if bits >> i & 1] or [31]  # a table without effect still says which values there are
                const_bits = {v: self.number_bits(const ^ d, to) for v, d in rows.items()}
                lines.append('table\t%s\t%s\t%s' % (','.join(str(32 + i) for i in to), ','.join(map(str, g)), ' '.join('%x=%x' % r for r in sorted(const_bits.items()))))
            for bits in touch:
                const &= ~bits
            if any(not t for t in touch):
                const &= ~(1 << 31)
            out[out.index(None)] = 'const\t%032x' % word(0x47802 | const << 32, 0xf00)
            out += lines
        return '\n'.join(out) + '\n'

    def number_bits(self, number, to):
        return sum((number >> i & 1) << k for k, i in enumerate(to))

    def said(self, plan):
        source = lambda s: '%d' % s[0] + ('+%d' % s[1] if s[1] else '')
        args = ['%d%s' % (d, k if k == 'z' else k + source(s)) for d, k, s in plan[0]]
        args += ['s' if s is None else 's' + source(s) for s in plan[1]]
        results = ['%s=%d' % (source(d), s) for d, s in plan[2]] + (['p%d' % self.pred] if self.pred else [])
        return ' '.join(args) + '\t' + (' '.join(results) or '-')


if __name__ == '__main__':
    seeds = collections.defaultdict(list)
    for name in sys.argv[2].split(','):
        with open(name) as f:
            for line in f:
                line = line.split('#')[0].strip()
                if line and line not in seeds[line[:8]]:
                    seeds[line[:8]].append(line)
    for tag in sys.argv[1].split(','):
        form = Form(tag, seeds[tag])
        if not form.records or not form.regs:
            print(tag, 'no call')
            continue
        form.study()
        form.plans()
        form.tables()
        if form.by and form.right():
            with open(os.path.join(sys.argv[3], tag + '.tsv'), 'w') as f:
                f.write(form.text())
