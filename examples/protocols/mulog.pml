/* Mutual exclusion with O(log n) messages a request: Trehel and Naimi's algorithm.
 *
 * The kind of protocol that Godefroid's thesis measures as MULOG; its text is not public. This one is
 * rebuilt from the published algorithm: the sites form a tree that leads to the last one that asked,
 * and the token goes from each site to the one that asked after it. A site is two processes, a user
 * and a handler of messages, that share its variables. Departures: each user enters ROUNDS times, so
 * that the system ends; the thesis does not say how its users do.
 */
#ifndef N
#define N 3        /* sites */
#endif
#ifndef ROUNDS
#define ROUNDS 1   /* how often each site enters */
#endif
#define NIL 255

mtype = { request, token };

chan inbox[N] = [N] of { mtype, byte };
byte father[N];            /* towards the last one that asked; NIL for that one itself */
byte next[N];              /* who gets the token afterwards */
bool requesting[N];
bool holds[N];             /* the token is here */
byte inside;               /* sites in their critical section */

proctype user(byte i)
{
	byte round;

	do
	:: round < ROUNDS ->
		atomic {
			requesting[i] = true;
			if
			:: father[i] != NIL ->
				inbox[father[i]]!request,i;
				father[i] = NIL
			:: else
			fi
		};
		holds[i];
		inside++;
		assert(inside == 1);
		inside--;
		atomic {
			requesting[i] = false;
			if
			:: next[i] != NIL ->
				holds[i] = false;
				inbox[next[i]]!token,i;
				next[i] = NIL
			:: else
			fi
		};
		round++
	:: else -> break
	od
}

proctype handler(byte i)
{
	byte who;

end:	do
	:: atomic {
		inbox[i]?request,who;
		if
		:: father[i] == NIL && requesting[i] -> next[i] = who
		:: father[i] == NIL && !requesting[i] ->
			holds[i] = false;
			inbox[who]!token,i
		:: else -> inbox[father[i]]!request,who
		fi;
		father[i] = who
	   }
	:: inbox[i]?token,who -> holds[i] = true
	od
}

init
{
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			next[i] = NIL;
			run user(i);
			run handler(i)
		}
		father[0] = NIL;
		holds[0] = true
	}
}
