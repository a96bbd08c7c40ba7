#define N 2
#define inc(v) v = (v + 1) % N
mtype = { ask, yes, no };
typedef Box { byte v; short w[2] };
chan q = [2] of { mtype, byte };
chan r = [0] of { bit };
Box box[2];
byte n, i;
inline take(x) { q?ask,x; if :: x > 0 -> x-- :: else -> skip fi }
active proctype P(byte k) {
  byte v = 1;
  do
  :: n < 3 -> atomic { inc(n); q!ask,n; v = n }
  :: q??[yes,_] -> q??yes(v)
  :: take(v); r!1
  :: timeout -> break
  od;
end: r?0
}
active proctype Q() provided (n < 9) {
  bit b;
  { r?b; box[b].w[1] = -n; i = (b -> n : 2) } unless { full(q) -> q?_,n };
  d_step { i = 0; do :: i < 2 -> box[i].v = i; i++ :: else -> break od };
  assert(box[1].v == 1);
accept: q!!no(i)
}
ltl p { [] (n < 4) && <> (P[0]@end || Q@accept) }
