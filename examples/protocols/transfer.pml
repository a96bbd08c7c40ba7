/* A data transfer protocol: connections are opened, data is carried over, connections are closed.
 *
 * The kind of protocol that Godefroid's thesis measures as DTP (SPIN's distribution has its text).
 * This one is written here: for each of LINKS connections, a user and an entity at either end of a
 * line that loses messages. Departures: one bit of sequence number instead of a window, losses are
 * made good by timeouts, and each user transfers UNITS units of data, so that the system ends.
 */
#ifndef LINKS
#define LINKS 2    /* connections, independent of each other */
#endif
#ifndef UNITS
#define UNITS 1    /* units of data on each connection */
#endif

mtype = { connect, data, release, ack };

chan asked[LINKS]  = [1] of { mtype, byte };        /* user to sending entity */
chan done[LINKS]   = [1] of { mtype };              /* and back */
chan line[LINKS]   = [1] of { mtype, bit, byte };   /* sending to receiving entity */
chan back[LINKS]   = [1] of { mtype, bit };         /* and back */
chan passed[LINKS] = [1] of { mtype, byte };        /* receiving entity to user */

proctype user(byte i)
{
	byte unit;

	asked[i]!connect,0;
	done[i]?connect;
	do
	:: unit < UNITS ->
		asked[i]!data,unit;
		done[i]?data;
		unit++
	:: else -> break
	od;
	asked[i]!release,0;
	done[i]?release
}

proctype sender(byte i)
{
	mtype what;
	byte unit;
	bit mine, seen;

	do
	:: asked[i]?what,unit ->
		line[i]!what,mine,unit;
		do
		:: back[i]?ack,seen ->
			assert(seen == mine);  /* nothing old is under way: timeouts wait for that */
			break
		:: back[i]?ack,_               /* lost */
		:: timeout -> line[i]!what,mine,unit
		od;
		mine = 1 - mine;
		done[i]!what;
		if
		:: what == release -> break
		:: else
		fi
	od
}

proctype receiver(byte i)
{
	mtype what;
	byte unit;
	bit other, wanted;

end:	do
	:: line[i]?what,other,unit ->
		if
		:: other == wanted ->
			passed[i]!what,unit;
			wanted = 1 - wanted
		:: else
		fi;
		back[i]!ack,other
	:: line[i]?_,_,_                       /* lost */
	od
}

proctype reader(byte i)
{
	mtype what;
	byte unit, next;

	passed[i]?what,unit;
	assert(what == connect);
	do
	:: passed[i]?data,unit ->
		assert(unit == next);
		next++
	:: passed[i]?release,unit -> break
	od;
	assert(next == UNITS)
}

init
{
	byte i;

	atomic {
		for (i : 0 .. LINKS - 1) {
			run user(i);
			run sender(i);
			run receiver(i);
			run reader(i)
		}
	}
}
