#!/usr/bin/env python3
"""Learns forms of Mercury records field by field: operands first, then all modifiers together.

Usage: ASK=path mercury-fields.py TAG,... RECORDS,... FOLDER [KNOWN,...]

ASK is the built mercury/ask; RECORDS are files of records, one a line; those of KNOWN tell which bits vary, and are not learned. Of a record's form the guard, the registers
(one by one, uniform ones, pairs, and those to which a bit adds one) and the predicates are found by what nvlink makes
of a few values; bits that act alone by their own effect. What is left, modifiers that go together, is a key, of which
nvlink is asked about every value, up to 2^MAXKEY, or else about those near the values of known records; the opcodes that come out
choose the shape. Some hundred records made by chance are then predicted and asked on each SM, and one wrong answer
drops a shape. A guard that is none and one that is are forms of their own.
"""
import collections
import importlib
import itertools
import os
import random
import sys

asking = importlib.import_module('mercury-bits')


def setf(x, p, w, v):
    return x & ~(((1 << w) - 1) << p) | v << p


def fld(x, p, w):
    return x >> p & ((1 << w) - 1)


def R(h):
    return int.from_bytes(bytes.fromhex(h), 'little')


def H(x, n=32):
    return x.to_bytes(n, 'little').hex()


random.seed(int(os.environ.get('SEED','5')))
SMS=[100,103,107,110,120,121]
WHOLE={(100,103,107,110,120,121),(100,103,107,110),(120,121),(100,103,107,110,120),(100,103),(107,),(110,),(103,),(100,103,110),(100,103,110,120,121),(100,),(100,107,120,121),(107,120,121),(103,107),(103,107,110),(107,110)}
MAXKEY=int(os.environ.get('MAXKEY','8'))
def ops(o): return tuple(w&0xfff for w in o)
def cat(o):
    v=0
    for i,x in enumerate(o): v|=x<<(128*i)
    return v
class F:
    def __init__(s,sm,x,n,others,loose=False):
        s.sm,s.x,s.n=sm,x,n; N=8*n; s.N=N
        s.o=s.q([x])[0]
        if s.o is None: s.ok=False; return
        s.ok=True
        s.ur=set();s.small=set();s.sums=[];s.regs=[];s.preds={};s.flips=[];s.key=[]
        used=set(range(32))
        guarded=fld(x,38,2)==0 and fld(x,34,1)==0
        # guard
        if guarded:
            s.preds[35]=(3,list(range(7)))
            s.flips.append(32); used|=set(range(32,40))
        else: used|=set(range(32,40))
        # registers
        for p in [p for p in list(range(86,N-9,16))+list(range(94,N-9,16)) if p<206]+([78] if n==16 else []):
            if any(b in used for b in range(p,p+10)): continue
            v=fld(x,p,10)
            if v>=255 and v!=1023: continue
            A=s.q([setf(x,p,10,k) for k in (0,1,2,4,8,16,32,64,128,1023)])
            if A[0] is None or any(a is None or ops(a)!=ops(s.o) for a in A[:1]+A[3:9]): continue
            if p==174 and s.summed(p,v,used,True): continue
            z=cat(A[0]); every=[None if a is None or ops(a)!=ops(A[0]) else cat(a)^z for a in A[1:9]]
            for low in (0,1,2):
                if v!=1023 and v&((1<<low)-1): continue
                ds=every[low:]
                ur=ds[-1] is None and ds[-2] is None
                if ur: ds=ds[:-2]
                small=not ur and ds[-1]==0 # there are 80: a number beyond is taken for 0; those below 64 are learned
                if small: ds=ds[:-1]
                if any(not d or d&z for d in ds) or any(bin(d).count('1')!=bin(ds[0]).count('1') for d in ds): continue
                base=[i for i in range(128*len(s.o)) if ds[0]>>i&1]
                if all(ds[k]==sum(1<<(i+k) for i in base) for k in range(len(ds))): break
            else: continue
            rz=A[9] is not None and ops(A[9])==ops(s.o) and (z|sum(sum(1<<(i+k) for k in range(8-low)) for i in base))
            rz=bool(rz) and cat(A[9])==rz and low==0
            if v==1023 and not rz:
                if small: used|=set(range(p,p+10)) # a form of its own
                continue
            if small: s.small.add(p)
            if ur:
                if A[9] is None or ops(A[9])!=ops(s.o) or cat(A[9])!=(z|sum(1<<(i+k) for i in base for k in range(8-low))): continue
                rz=True; s.ur.add(p)
            s.regs.append((p,low,base,rz)); used|=set(range(p,p+10))
        # one by one
        free=[i for i in range(40,N) if i not in used]
        A=dict(zip(free,s.q([x^(1<<i) for i in free])))
        c=cat(s.o)
        # predicates
        for p in range(91 if n==32 else 75,min(N-4,205),8):
            if any(b in used for b in range(p,p+5)): continue
            v=fld(x,p,5)
            if v>=7 and v!=31: continue
            V=list(range(7))+[31]
            P=s.q([setf(x,p,5,k) for k in V])
            if any(a is None or len(a)!=len(s.o) or ops(a)!=ops(s.o) for a in P[:7]) or len(set(P[:7]))<7: continue
            vals=V if P[7] is not None and len(P[7])==len(s.o) and ops(P[7])==ops(s.o) else V[:7]
            if v==31 and 31 not in vals: continue
            s.preds[p]=(5,vals); used|=set(range(p,p+5))
        # independent bits: one effect of their own
        eff={}
        for i in free:
            if i in used: continue
            a=A[i]
            if a is not None and len(a)==len(s.o) and ops(a)==ops(s.o) and cat(a)!=c: eff[i]=cat(a)^c
        diff=0
        for o in others:
            y=o^x
            if bin(y).count('1')<40: diff|=y
        simple=[]
        for i,d in eff.items():
            if all(not d&e for j,e in eff.items() if j!=i) and not any(d>>b+k&1 for p,l,base,_ in s.regs for b in base for k in range(8-l)): simple.append(i)
        # offsets and immediates are simple; of modifiers only those that act alone
        s.eff=eff
        simple=[i for i in simple if loose or i>=(80 if s.n==32 else 70) or i<40]
        s.flips+=simple
        used|=set(simple)
        other=[i for i in free if i not in used]
        s.key=[i for i in other if i in eff or A[i] is not None and ops(A[i])!=ops(s.o) and i>=40] 
        s.key+=[i for i in other if i not in s.key and diff>>i&1]
        s.key=sorted(set(s.key))
        if len(s.key)>MAXKEY: s.key=[i for i in s.key if diff>>i&1]
        s.locked=[i for i in free if i not in used and i not in s.key]
    def summed(s,p,v,used,must=False):
        if v==1023 or s.n!=32: return
        ks=[0,1,2,3,7,8,15,16,64,127,128,200]
        A=s.q([setf(s.x,p,10,k) for k in ks])
        got=[(k,cat(a)) for k,a in zip(ks,A) if a is not None and ops(a)==ops(s.o)]
        if len(got)<9: return
        for c in (1,2,0):
            at=[i for i in range(0,128*len(s.o)-7) if all(fld(a,i,8)==k+c for k,a in got)]
            if at: break
        else: return
        low=0 if [k for k,_ in got if k&1] else 1
        add=None
        q=s.q([setf(s.x,p,10,k)^(1<<169) for k in (2,8,16,128)])
        vals=[None if a is None or ops(a)!=ops(s.o) else fld(cat(a),at[0],8)-k for a,k in zip(q,(2,8,16,128))]
        if all(z is not None and z==vals[0] for z in vals) and vals[0]!=c: add=(169,{fld(s.x,169,1):c,1-fld(s.x,169,1):vals[0]}); used.add(169)
        if must and not add: return
        s.sums.append((p,low,at,c,add)); used|=set(range(p,p+10)); return True
    def q(s,l,sm=None): return asking.ask(sm or s.sm,l,s.n)
    def enum(s,most=2400):
        """All combinations of the key's bits, or those near."""
        if len(s.key)<=MAXKEY: V=range(1<<len(s.key))
        else: V=[0]+[1<<k for k in range(len(s.key))]+[1<<a|1<<b for a,b in itertools.combinations(range(len(s.key)),2)]+[random.getrandbits(len(s.key)) for _ in range(most)]
        recs=[]
        for v in V:
            y=s.x
            for k,i in enumerate(s.key): y^=(v>>k&1)<<i
            recs.append(y)
        recs=sorted(set(recs))
        s.ans={y:a for y,a in zip(recs,s.q(recs)) if a is not None}
    def kv(s,y,key=None): return sum((y>>i&1)<<k for k,i in enumerate(s.key if key is None else key))
    def shapes(s):
        by=collections.defaultdict(dict)
        for y,a in s.ans.items(): by[ops(a)][s.kv(y)]=(y,a)
        s.by={}
        for o,rows in by.items():
            if 0x918 in (o[:-1] or o): continue # what means nothing; behind an acquire of a cta a NOP stands for a fence
            sh={'rows':rows}
            y0,a0=next(iter(rows.values())) if s.kv(s.x) not in rows else rows[s.kv(s.x)]
            c0=cat(a0); W=128*len(o)
            # effects of registers etc. in this shape
            R=[]; ok=True
            for p,low,base,rz in s.regs:
                A=s.q([setf(y0,p,10,k) for k in (0,1<<low,32)])
                if None in A or any(ops(a)!=o for a in A): ok=False; break
                d=cat(A[0])^cat(A[1]); b=[i for i in range(W) if d>>i&1]
                R.append((p,low,b,rz))
            if not ok: continue
            P={}
            for p,(w,vals) in s.preds.items():
                A=s.q([setf(y0,p,w,k) for k in vals])
                if any(a is None or ops(a)!=o for a in A): ok=False; break
                d=0
                for a in A: d|=cat(a)^cat(A[0])
                P[p]=(w,[i for i in range(W) if d>>i&1],{k:cat(a) for k,a in zip(vals,A)})
            if not ok: continue
            E=[]
            A=s.q([y0^(1<<i) for i in s.flips])
            for i,a in zip(s.flips,A):
                if a is None or ops(a)!=o: ok=False; break
                E.append((i,cat(a)^c0))
            if not ok: continue
            D=0
            for y,a in rows.values(): D|=cat(a)^c0
            T=collections.defaultdict(list)
            C={k:cat(a) for k,(y,a) in rows.items()}
            dep=[0]*len(s.key)
            for k,v in C.items():
                for i in range(len(s.key)):
                    w=C.get(k^(1<<i))
                    if w is not None: dep[i]|=v^w
            for b in range(W):
                if not D>>b&1: continue
                some=tuple(i for i in range(len(s.key)) if dep[i]>>b&1)
                def fine(some):
                    r={}
                    return all(r.setdefault(tuple(k>>i&1 for i in some),v>>b&1)==v>>b&1 for k,v in C.items())
                if not fine(some):
                    for i in range(len(s.key)):
                        if i in some: continue
                        some=tuple(sorted(some+(i,)))
                        if fine(some): break
                T[some].append(b)
            S={}
            for p,low,at,c,add in s.sums:
                A=s.q([setf(y0,p,10,k) for k in (0,8,128)])
                if None in A or any(ops(a)!=o for a in A): ok=False; break
                cc=add[1][y0>>add[0]&1] if add else c
                S[p]=[i for i in range(W-7) if all(fld(cat(a),i,8)==k+cc for k,a in zip((0,8,128),A))]
                for i in S[p]:
                    D&=~(255<<i)
            if not ok: continue
            sh['S']=S
            sh.update(y0=y0,a0=a0,R=R,P=P,E=E,T=T,D=D)
            s.by[o]=sh
    def make(s,o,y):
        sh=s.by[o]; row=sh['rows'].get(s.kv(y))
        if row is None: return None
        y0,a=row; v=cat(a)
        for p,low,b,rz in sh['R']:
            k=fld(y,p,10)
            for j in range(8-low):
                for i in b:
                    v=v&~(1<<(i+j))|((k>>(j+low))&1)<<(i+j)
        for p,(w,bb,t) in sh['P'].items():
            k=fld(y,p,w)
            for i in bb: v=v&~(1<<i)|(t[k]>>i&1)<<i
        for i,d in sh['E']:
            if (y^y0)>>i&1: v^=d
        for p,low,at,c,add in s.sums:
            k=fld(y,p,10)+(add[1][y>>add[0]&1] if add else c)
            for i in sh['S'][p]: v=setf(v,i,8,k&255)
        return v
    def chance(s,o):
        sh=s.by[o]; y,_=random.choice(list(sh['rows'].values()))
        last=random.randrange(250)
        for p,low,b,rz in sh['R']:
            r=random.random()
            k=1023 if rz and r<.15 else (last+random.randrange(3)-1 if r<.4 else random.randrange(0,250))
            k=max(0,min(250,k)) if k!=1023 else k
            if p in s.ur and k!=1023: k%=60
            if p in s.small: k%=64
            if k!=1023: last=k; k&=~((1<<low)-1)
            y=setf(y,p,10,k)
        for p,(w,bb,t) in sh['P'].items(): y=setf(y,p,w,random.choice(list(t)))
        for p,low,at,c,add in s.sums:
            y=setf(y,p,10,random.randrange(250)&~((1<<low)-1))
            if add: y^=random.getrandbits(1)<<add[0]
        for i,_ in sh['E']: y^=random.getrandbits(1)<<i
        return y
    def right(s,o,sm,n=160):
        l=sorted({s.chance(o) for _ in range(n)})
        A=s.q(l,sm); good=bad=0; ex=None
        for y,a in zip(l,A):
            if a is None: continue
            if ops(a)==o and cat(a)==s.make(o,y): good+=1
            else: bad+=1; ex=ex or (y,a,s.make(o,y)^cat(a))
        return good,bad,len(l),ex
    def text(s,tag,sms):
        N=s.N
        ok=[o for o in s.by if s.by[o].get('good')]
        slots=[(p,10) for p,l,b,rz in s.regs if rz]+[(p,5) for p,(w,v) in s.preds.items() if w==5 and 31 in v]
        free=set(s.key)|set(s.flips)
        for p,low,at,c,add in s.sums:
            free|=set(range(p+low,p+8))
            if add: free.add(add[0])
        for p,l,b,rz in s.regs: free|=set(range(p,p+10)) if rz else set(range(p+l,p+8-2*(p in s.small)))
        for p,(w,v) in s.preds.items(): free|=set(range(p,p+w)) if 31 in v else set(range(p,p+3))
        locks=[];i=32
        while i<N:
            if i in free: i+=1; continue
            j=i
            while j<N and j not in free and j-i<32: j+=1
            locks.append('%d+%d=%x'%(i,j-i,fld(s.x,i,j-i))); i=j
        L=['form\t%s\t%s\t13.5'%(tag,','.join(map(str,sms))),'model\t%s\t%s'%(' '.join('%d+%d'%z for z in sorted(slots)),' '.join(locks))]
        if s.key: L.append('key\t'+','.join(map(str,s.key)))
        for o in ok:
            sh=s.by[o]
            L.append('shape\t%s\t%s\t%d'%(' '.join('%03x'%q for q in o),' '.join('%x'%k for k in sorted(sh['rows'])) if s.key else '0',sh['good']))
            const=cat(sh['a0']); clear=sh['D']; lines=[]
            for p,low,b,rz in sorted(sh['R']):
                for i in b:
                    clear|=((1<<(8-low))-1)<<i; lines.append('bit\t%d+%d\t%d'%(i,8-low,p+low))
            for p,(w,bb,t) in sorted(sh['P'].items()):
                left=[]
                for i in bb:
                    clear|=1<<i
                    src=None
                    if t.keys()!={31}:
                        for k in range(3):
                            if all((t[v]>>i&1)==(v>>k&1) for v in t): src=('bit',p+k)
                            if all((t[v]>>i&1)!=(v>>k&1) for v in t): src=('not',p+k)
                    if src: lines.append('%s\t%d+1\t%d'%(src[0],i,src[1]))
                    else: left.append(i)
                if left or 31 not in t:
                    # values 7 are no predicates
                    if not left: left=[bb[0]]; lines=[l for l in lines if not l.startswith(('bit\t%d+1\t'%bb[0],'not\t%d+1\t'%bb[0]))]
                    kb=list(range(p,p+(5 if 31 in t else 3)))
                    lines.append('table\t%s\t%s\t%s'%(','.join(map(str,left)),','.join(map(str,kb)),' '.join('%x=%x'%(v,sum((t[v]>>i&1)<<n for n,i in enumerate(left))) for v in sorted(t))))
            for p,low,at,c,add in s.sums:
                for i in sh['S'][p]:
                    clear|=255<<i
                    lines.append('sum\t%d+8\t%d\t%s'%(i,p,'%x'%c if not add else '%d\t%s'%(add[0],' '.join('%x=%x'%z for z in sorted(add[1].items())))))
            E=collections.defaultdict(list)
            for i,d in sh['E']:
                for b in range(128*len(o)):
                    if d>>b&1: E[b].append(i)
            for b,srcs in sorted(E.items()):
                clear|=1<<b
                assert len(srcs)==1
                i=srcs[0]; same=(cat(sh['a0'])>>b&1)==(sh['y0']>>i&1)
                lines.append('%s\t%d+1\t%d'%('bit' if same else 'not',b,i))
            for some,bs in sorted(sh['T'].items()):
                key=[s.key[k] for k in some]
                rows={}
                for y,a in sh['rows'].values(): rows[s.kv(y,key)]=sum((cat(a)>>b&1)<<n for n,b in enumerate(bs))
                lines.append('table\t%s\t%s\t%s'%(','.join(map(str,bs)),','.join(map(str,key)),' '.join('%x=%x'%r for r in sorted(rows.items()))))
            L.append('const'+''.join('\t%032x'%(fld(const&~clear,128*k,128)) for k in range(len(o))))
            L+=lines
        return '\n'.join(L)+'\n'
    def covers(s,y):
        z=y
        for p,l,b,rz in s.regs:
            v=fld(y,p,10)
            if v==1023 and not rz or v&((1<<l)-1) or p in s.small and v>63: return False
            z=setf(z,p,10,fld(s.x,p,10))
        for p,(w,v) in s.preds.items():
            if fld(y,p,5 if 31 in v or w==5 else 3) not in v: return False
            z=setf(z,p,5,fld(s.x,p,5))
        for p,low,at,c,add in s.sums:
            v=fld(y,p,10)
            if v>254 or v&((1<<low)-1): return False
            z=setf(z,p,10,fld(s.x,p,10))
            if add: z=z&~(1<<add[0])|(s.x&(1<<add[0]))
        for i in s.flips: z=z&~(1<<i)|(s.x&(1<<i))
        k=s.kv(z)
        for i in s.key: z=z&~(1<<i)|(s.x&(1<<i))
        return z==s.x and any(k in sh['rows'] and sh.get('good') for sh in s.by.values())
def learn(tag,recs,out,known=()):
    left=list(recs); text=''
    while left:
        r=left.pop(0); n=len(r)//2; x=R(r)
        done=False
        for main,loose in [(int(z),l) for z in os.environ.get('MAIN','100,107,120,103').split(',') for l in (True,False)]:
            f=F(main,x,n,[R(y) for y in recs+list(known) if len(y)==2*n],loose)
            if not f.ok: continue
            if len(f.key)>20: print(tag,r,'key of',len(f.key),f.key); continue
            f.enum(); f.shapes()
            sms=None
            for o,sh in list(f.by.items()):
                g,b,n_,ex=f.right(o,main)
                if b or g<n_*.5:
                    print(tag,main,' '.join('%03x'%q for q in o),'rows',len(sh['rows']),'good',g,'bad',b,'of',n_, ex and H(ex[0],n), ex and '%x'%ex[2], flush=True); del f.by[o]; continue
                sh['good']=g
            if not f.by: continue
            good=[]
            for sm in SMS:
                z=[f.right(o,sm,120) for o in f.by]
                if all(b==0 and g>=n_*.5 for g,b,n_,_ in z): good.append(sm)
                else: print(' sm',sm,[(g,b) for g,b,_,_ in z])
            print(tag,'sums',[(p,l,a,c,d) for p,l,a,c,d in f.sums],'regs',[(p,l,rz) for p,l,_,rz in f.regs],'preds',{p:len(v[1]) for p,v in f.preds.items()},'flips',len(f.flips),'key',f.key,'shapes',{' '.join('%03x'%q for q in o):len(sh['rows']) for o,sh in f.by.items()},good,flush=True)
            if good and f.covers(x):
                text+=f.text(tag,good); done=True
                open(os.path.join(out,tag+'.tsv'),'w').write(text)
                left=[y for y in left if len(y)//2!=n or not f.covers(R(y))]
                break
            else: print('  does not cover',r,f.covers(x))
        if not done: print(tag,'NOT',r,flush=True)
if __name__ == '__main__':
    def read(names):
        by = collections.defaultdict(list)
        for name in names.split(','):
            with open(name) as file:
                for line in file:
                    record = (line.split('#')[0].split() or [''])[0]
                    if record and record not in by[record[:8]]:
                        by[record[:8]].append(record)
        return by
    seeds = read(sys.argv[2])
    known = read(sys.argv[4]) if len(sys.argv) > 4 else seeds
    for tag in sys.argv[1].split(','):
        learn(tag, seeds[tag], sys.argv[3], known[tag])
