#!/usr/bin/env python3
"""Adds forms that were learned alone to a table.

Usage: mercury-join.py TABLE FOLDER...

The blocks of FOLDER/TAG.tsv are put behind those of their tag in TABLE, a file like
mercury/table.tsv, unless they stand there. What an earlier form of a tag knows it decides.
"""
import glob
import sys


def blocks(text):
    out = []
    for line in text.splitlines():
        if line.startswith(('form\t', 'plain\t', '#')) or not out:
            out.append([])
        if line:
            out[-1].append(line)
    return out


def main(table, folders):
    with open(table) as f:
        have = blocks(f.read())
    head = [b for b in have if b[0].startswith('#')]
    plain = [b for b in have if b[0].startswith('plain\t')]
    forms = {}
    for b in have:
        if b[0].startswith('form\t'):
            forms.setdefault(b[0].split('\t')[1], []).append(b)
    added = 0
    for folder in folders:
        for name in sorted(glob.glob(folder + '/*.tsv')):
            with open(name) as f:
                for b in blocks(f.read()):
                    known = forms.setdefault(b[0].split('\t')[1], [])
                    if any(line.startswith('shape\t') for line in b) and b not in known:
                        known.append(b)
                        added += 1
    with open(table, 'w') as f:
        for b in head + plain + [b for tag in sorted(forms) for b in forms[tag]]:
            f.write('\n'.join(b) + '\n')
    print(added, 'forms added')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
