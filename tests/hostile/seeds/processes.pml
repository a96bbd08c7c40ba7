byte a[3] = 1;
int x = -7;
unsigned u : 3 = 5;
bool done;
proctype W(byte id; chan out) {
  byte me = _pid;
  out!id, me;
progress: a[id] = a[id] + 1;
  if :: a[id] / id > 1 -> goto stop :: else fi;
  x = x << 1;
stop: skip
}
init {
  chan c = [1] of { byte, byte };
  pid p;
  for (p : 0 .. 1) { run W(p, c) };
  select (x : 1 .. 3);
  c?eval(0),p;
  c?<_,p>;
  (_nr_pr < 3 && len(c) > 0 || empty(c));
  u = u + 3;
  done = !done
}
never {
T: do :: done -> break :: !done && enabled(0) od;
accept: do :: x != 2 od
}
