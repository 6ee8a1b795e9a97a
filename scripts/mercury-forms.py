#!/usr/bin/env python3
"""Learns forms of Mercury records quickly, each alone.

Usage: ASK=path mercury-forms.py TAG,... RECORDS,... FOLDER

ASK is the built mercury/ask; RECORDS are files of records, one a line. For each
tag it asks nvlink what the records mean, finds operands by putting values into
each place, immediates by flipping bits, takes the other bits only as they were
seen (BFS=1: or with one bit beside that changes the words), tries the rules on
random operands for each SM, and writes lines for mercury/table.tsv to
FOLDER/TAG.tsv. What nvlink contradicts is left out.
"""
import sys,random,collections,os
from mercury_ask import answers
random.seed(5)
SMS=[100,103,107,110,120,121]
def ask(sm,recs):
    out=[]
    for i in range(0,len(recs),3000):
        lines=answers(sm,[x.to_bytes(n,'little').hex() for x,n in recs[i:i+3000]])
        if not lines: out+= [None]*len(recs[i:i+3000]); continue
        for f in lines:
            k=f[1]; w=[]
            for x in f[2:]:
                if x=='record': break
                w.append(int.from_bytes(bytes.fromhex(x),'little'))
            out.append(strip(w) if k in 'RMP' and w else None)
    return out
SCHED=((1<<21)-1)<<105
bare=lambda w,op:(w&0xfff)==op and (w&~SCHED)>>16==0
def strip(w):
    w=[x&~SCHED for x in w]
    while len(w)>1 and w[0]&((1<<72)-1)==0xfffff984: w=w[1:]
    if len(w)>=3 and bare(w[-2],0x3c6) and bare(w[-1],0x9b1): w=w[:-2]
    if len(w)==2 and bare(w[0],0x3c6) and w[1]&0xfff==0x5b2: w=w[1:]
    if len(w)>=2 and w[0]&0xfff==0x992 and w[1]&0xfff==0x992 and (w[0]>>64)==0x8000: w=w[1:]
    if any(x==0 for x in w): return None
    return tuple(w)
def sig(o): return ' '.join('%03x'%(x&0xfff) for x in o)
def cat(o):
    v=0
    for i,x in enumerate(o): v|=x<<(128*i)
    return v
def fld(x,p,n): return x>>p&((1<<n)-1)
def setf(x,p,n,v): return x&~(((1<<n)-1)<<p)|v<<p
def work(tag,seeds,write,bfs=0,maxclass=60):
    n=len(seeds[0])//2; bits=8*n
    S=[int.from_bytes(bytes.fromhex(s),'little') for s in seeds]
    # candidate slots: register fields valid in all seeds
    regs=[p for p in range(86,bits-9,8) if p+10<=bits and all(fld(s,p,10)<255 or fld(s,p,10)==1023 for s in S)]
    preds=[p for p in range(35,bits-4,8) if all(fld(s,p,5)<7 or fld(s,p,5)==31 for s in S)]
    SM=None
    for sm in SMS:
        a=ask(sm,[(s,n) for s in S])
        if any(a): SM=sm; break
    if SM is None: print(tag,'no answers'); return ''
    base=[(s,o) for s,o in zip(S,a) if o]
    text=''
    bysig=collections.defaultdict(list)
    for s,o in base: bysig[sig(o)].append((s,o))
    open_=[]
    for sg,L in bysig.items():
        b,ob=L[0]
        # find slots on up to 3 bases
        def probe(L,sm):
            found={}
            for b,ob in L[:3]:
                Q=[];M=[]
                for p in regs:
                    if fld(b,p-6,6)>0x15 and False: continue
                    for v in (2,4,8,16,32,64,128 if False else 96,1023):
                        Q.append((setf(b,p,10,v),n)); M.append((p,10,v))
                for p in preds:
                    for v in (0,1,2,4,31): Q.append((setf(b,p,5,v),n)); M.append((p,5,v))
                A=ask(sm,Q)
                res=collections.defaultdict(dict)
                for (p,w,v),o in zip(M,A): res[p,w][v]=o
                for (p,w),d in res.items():
                    d={v:o for v,o in d.items()}
                    if any(o is None or sig(o)!=sg for o in d.values()): 
                        # perhaps pairs: RZ or odd not allowed
                        if w==10:
                            d2={v:o for v,o in d.items() if v!=1023}
                            if any(o is None or sig(o)!=sg for o in d2.values()): continue
                        else: continue
                    X={v:cat(o) for v,o in d.items() if o is not None and sig(o)==sg}
                    nb=8 if w==10 else 3
                    full=(1<<nb)-1
                    dst=[]
                    for q in range(0,128*len(ob)-nb+1):
                        if 105<=q%128<=126: continue
                        ok=all(fld(x,q,nb)==(full if v==(1<<w)-1 else v) for v,x in X.items())
                        if ok: dst.append(q)
                        elif nb==8 and all(fld(x,q,nb)==(full if v==1023 else v|1) for v,x in X.items()) : dst.append((q,1))
                    if not dst: continue
                    # everything else equal
                    m=0
                    for q in dst:
                        q=q[0] if isinstance(q,tuple) else q
                        m|=full<<q
                    vs=list(X.values())
                    if any((x^vs[0])&~m for x in vs): continue
                    rz=(1<<w)-1 in X
                    found.setdefault((p,w),[]).append((tuple(dst),rz))
            return {k:v[0] for k,v in found.items() if len(set(v))==1}
        slots=probe(L,SM)
        # overlapping slots: keep 10-bit first
        used=set(); keep={}
        for k in sorted(slots,key=lambda k:-k[1]):
            r=set(range(k[0],k[0]+k[1]))
            if r&used: continue
            used|=r; keep[k]=slots[k]
        slots=keep
        # immediate bits
        imm={}
        b,ob=L[0]
        # take a base with small imm
        ibits=[i for i in range(112 if n==16 else 192,bits) if i not in used] if n==32 else [i for i in range(96,128) if i not in used]
        A=ask(SM,[(b^(1<<i),n) for i in ibits])
        for i,o in zip(ibits,A):
            if o and sig(o)==sg:
                d=cat(o)^cat(ob)
                if d and d&(d-1)==0:
                    q=d.bit_length()-1
                    if fld(cat(ob),q,1)==fld(b,i,1): imm[i]=q
        free=set(used)|set(imm)
        allow={k:v[1] for k,v in slots.items()}
        outmask=0
        for (p,w),(dst,rz) in slots.items():
            for q in dst:
                q0=q[0] if isinstance(q,tuple) else q
                outmask|=((1<<(8 if w==10 else 3))-1)<<q0
        for i,q in imm.items(): outmask|=1<<q
        # classes
        recmask=0
        for i in free: recmask|=1<<i
        classes={}
        for s,o in L: classes.setdefault(s&~recmask,(s,o))
        tried=set()
        frontier=list(classes.values())
        for depth in range(bfs):
            Q=[]
            for s,o in frontier:
                for i in range(40,80):
                    if i in free: continue
                    x=s^(1<<i)
                    if x&~recmask in classes or x in tried: continue
                    tried.add(x); Q.append(x)
            A=ask(SM,[(x,n) for x in Q]); frontier=[]
            for x,o in zip(Q,A):
                if o and sig(o)==sg and len(classes)<maxclass and cat(o)&~outmask not in {cat(c[1])&~outmask for c in classes.values()}:
                    classes[x&~recmask]=(x,o); frontier.append((x,o))
        keys=list(classes)
        vary=0
        for k in keys: vary|=k^keys[0]
        vbits=[i for i in range(bits) if vary>>i&1]
        outs=[cat(classes[k][1])&~outmask for k in keys]
        ov=0
        for o in outs: ov|=o^outs[0]
        obits=[i for i in range(128*len(ob)) if ov>>i&1]
        # validate: random
        def gen():
            k=random.choice(keys); x=k
            for (p,w),(dst,rz) in slots.items():
                pair=any(isinstance(q,tuple) for q in dst)
                if rz and random.random()<.15: v=(1<<w)-1
                else: v=random.randrange(0,127 if w==10 else 7)
                if pair: v&=~1
                # keep alignment of the base
                bv=fld(classes[k][0],p,w)
                x=setf(x,p,w,v)
            for i in imm: 
                if random.random()<.5: x|=1<<i
            return k,x
        def predict(k,x):
            v=cat(classes[k][1])&~outmask
            for (p,w),(dst,rz) in slots.items():
                val=fld(x,p,w); nb=8 if w==10 else 3
                val=(1<<nb)-1 if val==(1<<w)-1 else val
                for q in dst:
                    if isinstance(q,tuple): v|=(val|1)<<q[0]
                    else: v|=val<<q
            for i,q in imm.items(): v|=(x>>i&1)<<q
            return v
        def trial(even):
            T=[gen() for _ in range(max(160,4*len(keys)))]
            if even:
                T2=[]
                for k,x in T:
                    for (p,w) in slots:
                        if w==10 and fld(x,p,w)!=1023: x&=~(1<<p)
                    T2.append((k,x))
                T=T2
            good=[]; dropped=set()
            for sm in SMS:
                A=ask(sm,[(x,n) for k,x in T])
                ans=0; badk=set()
                for (k,x),o in zip(T,A):
                    if o is None: continue
                    ans+=1
                    if sig(o)!=sg or cat(o)!=predict(k,x): badk.add(k)
                if sm==SM: dropped=badk
                if ans>=len(T)*.2 and not (badk-dropped): good.append(sm)
                elif ans: print(tag,sg,'sm',sm,'answers',ans,'bad classes',len(badk-dropped),'of',len(keys),file=sys.stderr)
                if sm==SM and len(dropped)>len(keys)*.5 and not even: return T,[],dropped
            return T,good,dropped
        even=False
        T,good,dropped=trial(False)
        if len(dropped)>len(keys)*.5:
            even=True
            T,good,dropped=trial(True)
        keys=[k for k in keys if k not in dropped]
        if not good or not keys:
            print(tag,sg,'slots',sorted(slots),'nothing good'); continue
        # emit
        def emit(keys):
            vary=0
            for k in keys: vary|=k^keys[0]
            vbits=[i for i in range(bits) if vary>>i&1]
            ov=0
            outs=[cat(classes[k][1])&~outmask for k in keys]
            for o in outs: ov|=o^outs[0]
            obits=[i for i in range(128*len(ob)) if ov>>i&1]
            if len(vbits)>32 or len(obits)>60:
                bit=min(vbits,key=lambda i:abs(len(keys)/2-sum(k>>i&1 for k in keys)))
                return emit([k for k in keys if k>>bit&1])+emit([k for k in keys if not k>>bit&1])
            return one(keys,vbits,outs,ov,obits)
        def one(keys,vbits,outs,ov,obits):
            vary=sum(1<<i for i in vbits)
            lockb=[i for i in range(32,bits) if i not in free and not vary>>i&1]
            pairlock=[p for (p,w),(dst,rz) in slots.items() if any(isinstance(q,tuple) for q in dst) or even and w==10]
            # RZ not allowed slots: lock top two bits of the ten to zero
            for (p,w),(dst,rz) in slots.items():
                if not rz and p not in pairlock: lockb+= [p+8,p+9] if w==10 else []
            locks=[]
            i=0; lockb=sorted(set(lockb)|set(pairlock))
            const0=keys[0]
            for p in pairlock: const0&=~(1<<p)
            while i<len(lockb):
                j=i; v=0
                while j<len(lockb) and lockb[j]==lockb[i]+(j-i) and j-i<64:
                    v|=(const0>>lockb[j]&1)<<(j-i); j+=1
                locks.append('%d+%d=%x'%(lockb[i],j-i,v)); i=j
            t=''
            t+='model\t%s\t%s\n'%(' '.join('%d+%d'%k for k in sorted(slots)),' '.join(locks))
            t+='shape\t%s\t0\t%d\n'%(sg,len(T))
            c=outs[0]&~ov
            for (p,w),(dst,rz) in slots.items():
                for q in dst:
                    if isinstance(q,tuple): c|=1<<q[0]
            t+='const'+''.join('\t%032x'%(c>>(128*i)&((1<<128)-1)) for i in range(len(ob)))+'\n'
            for (p,w),(dst,rz) in sorted(slots.items()):
                for q in dst:
                    nb=8 if w==10 else 3
                    if isinstance(q,tuple): t+='bit\t%d+7\t%d\n'%(q[0]+1,p+1)
                    else: t+='bit\t%d+%d\t%d\n'%(q,nb,p)
            ii=sorted(imm); i=0
            while i<len(ii):
                j=i
                while j<len(ii) and ii[j]==ii[i]+(j-i) and imm[ii[j]]==imm[ii[i]]+(j-i) and (imm[ii[j]]%64!=0 or j==i) and j-i<64: j+=1
                t+='bit\t%d+%d\t%d\n'%(imm[ii[i]],j-i,ii[i]); i=j
            if obits:
                rows=[]
                for k,o in zip(keys,outs):
                    kv=sum((k>>b&1)<<j for j,b in enumerate(vbits)); ovv=sum((o>>b&1)<<j for j,b in enumerate(obits)); rows.append('%x=%x'%(kv,ovv))
                t+='table\t%s\t%s\t%s\n'%(','.join(map(str,obits)),','.join(map(str,vbits)),' '.join(rows))
            elif vbits:
                rows=['%x=0'%sum((k>>b&1)<<j for j,b in enumerate(vbits)) for k in keys]
                # a bit that is constant anyway: row must exist
                q=next(q for q in range(72,100) if not (c>>q&1) and not (outmask>>q&1))
                t+='table\t%d\t%s\t%s\n'%(q,','.join(map(str,vbits)),' '.join(rows))
            return t
        t='form\t%s\t%s\t13.5\n'%(tag,','.join(map(str,good)))+emit(keys)
        print(tag,sg,'SMs',good,'slots',sorted(slots),'imm',len(imm),'classes',len(keys),'dropped',len(dropped))
        text+=t
        write(text)
if __name__=='__main__':
    R=collections.defaultdict(list)
    for f in sys.argv[2].split(','):
        for l in open(f):
            l=l.strip()
            if l and l not in R[l[:8]]: R[l[:8]].append(l)
    for tag in sys.argv[1].split(','):
        if tag not in R: continue
        def write(t): open(os.path.join(sys.argv[3],tag+'.tsv'),'w').write(t)
        try: work(tag,R[tag][:200],write,bfs=int(os.environ.get('BFS','0')))
        except Exception as e:
            import traceback; traceback.print_exc(); continue
