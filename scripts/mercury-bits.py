#!/usr/bin/env python3
"""Learns forms of Mercury records bit by bit, each form alone.

Usage: ASK=path mercury-bits.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask; RECORDS are files of records, one a line. For each tag
and each sequence of opcodes every bit of a record is inverted, which shows on
which bits of the record each bit of the words depends. Bits that act alone become
"bit" and "not" lines; bits that act together become a table, of which every value is
asked. An operand that no word shows, and that holds a register a few behind one that is
shown, becomes a "same" line: the coordinates of TMA; so does the second of two that
go together. SEEN=1 begins with what differs among the records: nvlink dies of too much else. Then records made by chance are predicted and asked: where a prediction
fails, the groups that act together are found by putting one after the other back, and
made one. Bits that no word shows keep the value that some record had. What
comes out holds for the SMs on which all of some hundred predictions are right.
"""
import sys,random,collections,functools,os
from mercury_ask import answers
random.seed(7)
SMS=[100,103,107,110,120,121]
SCHED=((1<<21)-1)<<105
WIDEST=7 # bits of a group
def strip(w):
    bare=lambda w,op:(w&0xfff)==op and (w&~SCHED)>>16==0
    w=[x&~SCHED for x in w]
    while len(w)>1 and w[0]&((1<<72)-1)==0xfffff984: w=w[1:]
    if len(w)>=3 and bare(w[-2],0x3c6) and bare(w[-1],0x9b1): w=w[:-2]
    if len(w)==2 and bare(w[0],0x3c6) and w[1]&0xfff==0x5b2: w=w[1:]
    if len(w)>=2 and w[0]&0xfff==0x992 and w[1]&0xfff==0x992 and (w[0]>>64)==0x8000: w=w[1:]
    if any(x==0 for x in w): return None
    # Whether a block-scaled mma's last registers are those of the instruction behind it.
    w=[x&~REUSE if x&0xfff==0x47f else x for x in w]
    # What a pause in front of an instruction holds is the schedule's.
    return tuple(x&~PAUSE if len(w)>1 and x&0xfff==0x91a else x for x in w)
PAUSE=0xffffffff<<16
REUSE=1<<51
def ask(sm,recs,n):
    out=[]
    for i in range(0,len(recs),3000):
        part=[x.to_bytes(n,'little').hex() for x in recs[i:i+3000]]
        lines=answers(sm,part)
        if not lines: out+=[None]*len(part); continue
        for q,f in zip(part,lines):
            w=[]; back=None
            for k,x in enumerate(f[2:]):
                if x=='record': back=f[2+k+1]; break
                w.append(int.from_bytes(bytes.fromhex(x),'little'))
            # A record that comes back as another is not one that this nvlink writes.
            out.append(strip(w) if f[1]=='R' and w and back==q else None)
    return out
def sig(o): return ' '.join('%03x'%(x&0xfff) for x in o)
def cat(o):
    v=0
    for i,x in enumerate(o): v|=x<<(128*i)
    return v
fld=lambda x,p,w: x>>p&((1<<w)-1)
setf=lambda x,p,w,v: x&~(((1<<w)-1)<<p)|v<<p
def runs(bits):
    out=[]
    for b in sorted(bits):
        if out and out[-1][0]+out[-1][1]==b and out[-1][1]<32: out[-1][1]+=1
        else: out.append([b,1])
    return out
class Model:
    def __init__(m,sm,n,b,o,even,vary=None):
        m.vary=vary # bits that are inverted; none: all
        m.sm,m.n,m.b,m.o,m.sg=sm,n,b,cat(o),sig(o); m.bits=8*n; m.words=len(o)
        m.known={} # record: words
        m.slots=[]
        m.beyond=set() # bits that no register of a pair has
        m.sames=m.pairs()
        held={p for q,p,_ in m.sames}|{q for q,_,_ in m.sames}
        for p in range(86,m.bits-9,16):
            if p in held: continue
            if fld(b,p,10)<255 or fld(b,p,10)==1023:
                A=m.ask([setf(b,p,10,v) for v in (2,4,64,1023)])
                if all(a is not None for a in A) and len(set(A))==4 and (m.vary is None or m.copied(p)): m.slots.append((p,10))
        # Behind a byte of its own an operand begins eight bits later.
        for p in range(94,m.bits-9,16):
            if not any(q<p+10 and p<q+10 for q in held) and m.free(p) and m.copied(p): m.slots.append((p,10))
        m.slots+=[(p,10) for _,p,_ in m.sames]
        # The bits of RZ can't be inverted one by one.
        for p,w in m.slots:
            if w==10 and fld(m.b,p,w)==1023 and m.ask([setf(m.b,p,w,4)])[0] is not None: m.b=b=setf(m.b,p,w,4)
        m.o=m.ask([m.b])[0]
        m.slots+= [(p,5) for p in range(35,m.bits-4,8) if not any(q<=p<q+10 for q,_ in m.slots) and (fld(b,p,5)<7 or fld(b,p,5)==31) and m.pred(p)]
        # Of 64 bits in two words the second register is the first with a bit set.
        m.still={p for p,w in m.slots if w==10 and not b>>p&1} if even else set()
        m.still|={p+k for p,w in m.slots for k in (0,1) if w==10 and not b>>(p+k)&1 and m.ask([m.imply(b^1<<(p+k))])[0] is None}
        m.still|=m.beyond
        for q,p,_ in m.sames: # a pair that begins at an odd register is none
            v=fld(m.b,p,10); put=lambda x,y: setf(setf(m.b,p,10,x),q,10,y)
            if not v&1 and m.ask([put(v+1,v+2)])==m.ask([put(v,v+5)]): m.still.add(p)
        m.sames+=m.implied()
        m.groups=[]
        m.find()
    def free(m,p): return (fld(m.b,p,10)<255 or fld(m.b,p,10)==1023) and not any(q<p+10 and p<q+w for q,w in m.slots)
    def copied(m,p):
        """Do the words hold the eight bits from p on, each by itself, all ones for RZ? Of pairs the lowest are clear."""
        A=m.ask([setf(m.b,p,10,v) for v in (0,1,2,4,8,16,32,64,128,1023)])
        if A[0] is None: return False
        d=[a and A[0]^a for a in A[1:]]
        if any(not x for x in d[2:8]) or d[8] is None: return False
        own=[x for x in d[:8] if x]; every=functools.reduce(int.__or__,own)
        if sum(bin(x).count('1') for x in own)!=bin(every).count('1'): return False
        return all(d[:2]) and d[8]==every or not all(d[:2]) and d[8]&every==every
    def pairs(m):
        """Operands of two registers, as (second, first, 1): words are of this kind only where both go together."""
        out=[]
        for p in [*range(86,m.bits-25,16),*range(94,m.bits-25,16)]:
            v=fld(m.b,p,10); put=lambda x,y: setf(setf(m.b,p,10,x),p+16,10,y)
            if v>=254 or fld(m.b,p+16,10)!=v+1 or any(q-26<p<q+26 for _,q,_ in out): continue
            alone=m.ask([put(v,x) for x in (2,4,8,32)])+m.ask([put(x,v+1) for x in (2,4,8,32)])
            A=m.ask([put(x,x+1) for x in (0,2,4,8,16,32,64,128)])
            if None in A[:6] or len(set(alone))>4: continue
            # How many bits the words copy: a uniform register has six.
            d=[a and a^A[0] for a in A[1:]]; k=1
            while k<7 and d[k] and d[k]==d[k-1]<<1 and bin(d[0]).count('1')==1: k+=1
            if k>4: out.append((p+16,p,1)); m.beyond|=set(range(p+k+1,p+10))
        return out
    def implied(m):
        """Operands that no word shows, as (place, shown operand, difference)."""
        out=[]
        for p in sorted([*range(86,m.bits-9,16),*range(94,m.bits-9,16)]):
            v=fld(m.b,p,10)
            if not m.free(p) or not v or any(q<p+10 and p<q+10 for q,_,_ in out+m.sames): continue
            if set(m.ask([setf(m.b,p,10,x) for x in (0,1,2,4,8,16,32,64,128,1023)]))!={m.o}: continue
            near=[(v-fld(m.b,q,10),q) for q,w in m.slots if w==10 and q<p and 0<v-fld(m.b,q,10)<6]
            if near: out.append((p,min(near)[1],min(near)[0]))
        return out
    def imply(m,x):
        for p,q,k in m.sames: x=setf(x,p,10,(fld(x,q,10)+k)&1023)
        return x
    def ask(m,recs):
        new=[r for r in dict.fromkeys(recs) if r not in m.known]
        for r,a in zip(new,ask(m.sm,new,m.n)):
            m.known[r]=cat(a) if a is not None and sig(a)==m.sg else None
        return [m.known[r] for r in recs]
    def pred(m,p):
        A=m.ask([setf(m.b,p,5,v) for v in (0,1,2,4,31)])
        if any(a is None for a in A): return False
        d=[A[0]^a for a in A]
        return d[1] and d[2]==d[1]<<1 and d[3]==d[1]<<2 and d[4]==d[1]|d[2]|d[3]
    def find(m):
        idx=[i for i in range(32,m.bits) if m.vary is None or i in m.vary or any(p<=i<p+w for p,w in m.slots)]; A=m.ask([m.imply(m.b^(1<<i)) for i in idx])
        dep=collections.defaultdict(set)
        for i,a in zip(idx,A):
            if a is None: continue
            d=a^m.o
            for q in range(128*m.words):
                if d>>q&1 and i not in m.still: dep[q].add(i)
        group={}
        for q,S in dep.items():
            S=set(S)
            for i in list(S):
                if i in group: S|=group[i]
            for i in S: group[i]=S
        m.groups=[]
        for S in {id(s):s for s in group.values()}.values(): m.groups.append(m.table(tuple(sorted(S))))
        m.groups=[g for g in m.groups if g]
    def table(m,S):
        if len(S)>WIDEST: return None
        recs=[]
        for v in range(1<<len(S)):
            x=m.b
            for k,i in enumerate(S): x=x&~(1<<i)|(v>>k&1)<<i
            recs.append(m.imply(x))
        rows={v:a^m.o for v,a in enumerate(m.ask(recs)) if a is not None}
        return (S,rows)
    def value(m,S,x): return sum((x>>i&1)<<k for k,i in enumerate(S))
    def predict(m,x):
        w=m.o
        for S,rows in m.groups:
            v=m.value(S,x)
            if v not in rows: return None
            w^=rows[v]
        return w
    def gen(m):
        x=m.b
        inslot={}
        for S,rows in m.groups:
            if random.random()<.5: continue
            v=random.choice(list(rows))
            for k,i in enumerate(S): x=x&~(1<<i)|(v>>k&1)<<i
        for p,w in m.slots:
            full=(1<<w)-1
            if any(q==p for _,q,_ in m.sames): # RZ has no neighbour
                x=setf(x,p,w,random.randrange(0,60)&~sum(1<<k for k in (0,1) if p+k in m.still)); continue
            v=full if random.random()<.15 else random.randrange(0,120 if w==10 else 7)
            if random.random()<.3: v=fld(m.b,p,w)
            elif w==10 and random.random()<.5 and v!=full: v&=~3
            low=sum(1<<k for k in (0,1) if p+k in m.still)
            if low: v=0 if v==full else v&~low
            x=setf(x,p,w,v)
        return m.imply(x)
    def settle(m):
        """Joins groups until predictions hold; False where they don't."""
        for turn in range(14):
            T=[m.gen() for _ in range(300)]
            A=m.ask(T)
            bad=[(x,a) for x,a in zip(T,A) if m.predict(x)!=a and m.predict(x) is not None]
            if not bad: return True
            joined=False
            for x,a in bad[:6]:
                # put groups back one after the other while the prediction stays wrong
                for S,rows in list(m.groups):
                    y=x
                    for i in S: y=y&~(1<<i)|(m.b>>i&1)<<i
                    y=m.imply(y)
                    if y!=x and m.predict(y)!=m.ask([y])[0]: x=y
                left=[g for g in m.groups if m.value(g[0],x)!=m.value(g[0],m.b)]
                if len(left)<2: continue
                S=tuple(sorted(i for g in left for i in g[0]))
                t=m.table(S) if len(S)<=WIDEST else None
                if t is None:
                    # too many to ask: what is farther from the base is left alone
                    worst=max(left,key=lambda g:(not any(p<=g[0][0]<p+w for p,w in m.slots),len(g[0]),g[0]))
                    m.groups.remove(worst)
                else:
                    m.groups=[g for g in m.groups if g not in left]+[t]
                joined=True
                break
            if not joined: return False
        return False
    def text(m,good):
        read={i for S,_ in m.groups for i in S}
        # of an operand the upper two bits only tell RZ, or PT, from the rest
        holds=lambda p,w: all(j in read or j in m.still for j in range(p,p+w-2)) and not any(j in read for j in (p+w-2,p+w-1))
        slotbits={i for p,w in m.slots if holds(p,w) for i in range(p,p+w)}
        slotbits|={i for p,_,_ in m.sames for i in range(p,p+10)}
        slots=[s for s in m.slots if s[0] in slotbits]+[(p,10) for p,_,_ in m.sames]
        locks=[i for i in range(32,m.bits) if i not in read and i not in slotbits or i in m.still]
        t='model\t%s\t%s\n'%(' '.join('%d+%d'%s for s in sorted(slots)),' '.join('%d+%d=%x'%(p,w,fld(m.b,p,w)) for p,w in runs(locks)))
        for p,q,k in m.sames: t+='same\t%d+10\t%d+10\t%d\n'%(p,q,k)
        if m.sames: t+='key\t%s\n'%','.join(str(256+i) for i in range(len(m.sames)))
        t+='shape\t%s\t%x\t300\n'%(m.sg,(1<<len(m.sames))-1)
        const=m.o; ones=[]; tables=[]
        for S,rows in sorted(m.groups):
            ov=0
            for d in rows.values(): ov|=d
            obits=[q for q in range(128*m.words) if ov>>q&1]
            if len(S)==1 and len(obits)>=1 and len(rows)==2:
                for q in obits:
                    bit=m.b>>S[0]&1; out=m.o>>q&1
                    ones.append((q,S[0],bit==out)); const&=~(1<<q)
                continue
            if not obits: continue
            const&=~ov
            rr=[]
            for v,d in sorted(rows.items()):
                w=(m.o^d); rr.append('%x=%x'%(v,sum((w>>q&1)<<k for k,q in enumerate(obits))))
            tables.append('table\t%s\t%s\t%s\n'%(','.join(map(str,obits)),','.join(map(str,S)),' '.join(rr)))
        t+='const\t'+'\t'.join('%032x'%(const>>(128*k)&((1<<128)-1)) for k in range(m.words))+'\n'
        ones.sort(); i=0
        while i<len(ones):
            q,s,pos=ones[i]; w=1
            while i+w<len(ones) and ones[i+w]==(q+w,s+w,pos) and (q+w)%64: w+=1
            t+='%s\t%d+%d\t%d\n'%('bit' if pos else 'not',q,w,s); i+=w
        for k in range(m.words):
            if m.o>>(128*k)&0xfff==0x47f: t+='free\t%d+1\n'%(128*k+51)
            if m.words>1 and m.o>>(128*k)&0xfff==0x91a: t+='free\t%d+32\n'%(128*k+16)
        return t+''.join(tables)
def work(tag,seeds,write):
    n=len(seeds[0])//2
    S=[int.from_bytes(bytes.fromhex(s),'little') for s in seeds]
    text=''; of107=[]
    for main in (100,120,107):
        A=ask(main,S,n); models=list(of107) if main==107 else []
        for s,o in zip(S,A):
            if o is None or len(o)>6 or len(models)>=16: continue
            if any(mm.sg==sig(o) and mm.covers(s)==cat(o) for mm in models): continue
            # At last only what differs among the records, and offsets; or registers alone.
            seen={i for i in range(32,8*n) if len({x>>i&1 for x in S})>1}|set(range(224,240) if n==32 else ())
            ways=((False,None),(True,None),(False,seen),(True,seen),(False,set()))
            for even,vary in ways[2:] if os.environ.get('SEEN') else ways:
                m=Model(main,n,s,o,even,vary)
                if not m.groups or even and not m.still: continue
                ok=m.settle()
                print(tag,main,m.sg,'even' if even else '','slots',m.slots,'groups',len(m.groups),'widest',max((len(g[0]) for g in m.groups),default=0),'settled',ok,flush=True)
                if ok: break
            else: continue
            if not ok: continue
            models.append(m)
            good=[]
            for sm in SMS:
                if (sm>=120)!=(main==120): continue
                T=[x for x in (m.gen() for _ in range(150)) if m.predict(x) is not None]
                B=ask(sm,T,n)
                right=sum(1 for x,o in zip(T,B) if o is not None and sig(o)==m.sg and cat(o)==m.predict(x))
                wrong=sum(1 for x,o in zip(T,B) if o is not None and (sig(o)!=m.sg or cat(o)!=m.predict(x)))
                if wrong==0 and right>=len(T)*.5: good.append(sm)
            print(tag,m.sg,'SMs',good,flush=True)
            if 107 in good: of107.append(m)
            if good:
                text+='form\t%s\t%s\t13.5\n'%(tag,','.join(map(str,good)))+m.text(good)
                write(text)
    return text
def covers(m,s):
    if m.imply(s)!=s: return None
    s=functools.reduce(lambda x,f: setf(x,f[0],10,fld(m.b,f[0],10)),m.sames,s)
    read={i for S,_ in m.groups for i in S}|{i for p,w in m.slots for i in range(p,p+w)}
    if any((s^m.b)>>i&1 for i in range(32,m.bits) if i not in read): return None
    return m.predict(s)
Model.covers=covers
if __name__=='__main__':
    R=collections.defaultdict(list)
    for f in sys.argv[2].split(','):
        for l in open(f):
            l=l.strip()
            if l and l[0]!='#' and l not in R[l[:8]]: R[l[:8]].append(l)
    for tag in sys.argv[1].split(','):
        if tag not in R: print(tag,'no record'); continue
        def write(t): open(os.path.join(sys.argv[3],tag+'.tsv'),'w').write(t)
        try: work(tag,R[tag][:60],write)
        except Exception:
            import traceback; traceback.print_exc()
