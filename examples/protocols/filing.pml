/* A file transfer protocol in layers: user, session and flow control at one end, and at the other.
 *
 * The kind of protocol that Godefroid's thesis measures as PFTP (from Holzmann's book of 1991). This
 * one is written here, much smaller: a file has BLOCKS blocks, the flow layer has a window of WINDOW
 * messages with sequence numbers, and the line may lose messages (LOSS), which timeouts make good.
 * Departures: transfers go in one direction, nobody aborts one, and there is one transfer, so that the
 * system ends.
 */
#ifndef BLOCKS
#define BLOCKS 2   /* blocks of the file */
#endif
#ifndef LOSS
#define LOSS 1     /* whether messages are lost */
#endif
#define WINDOW 2   /* messages sent and not acknowledged */
#define RANGE 4    /* sequence numbers */

mtype = { transfer, block, eof, complete };

chan wish    = [0] of { mtype };             /* user to session */
chan outcome = [0] of { mtype };             /* and back */
chan out     = [1] of { mtype };             /* session to flow control */
chan line    = [WINDOW] of { mtype, byte };  /* to the other end */
chan acks    = [WINDOW] of { byte };         /* and back */
chan inner   = [1] of { mtype };             /* flow control to session there */

byte stored;       /* blocks that have arrived */

active proctype user()
{
	wish!transfer;
	outcome?complete;
	assert(stored == BLOCKS)
}

active proctype session()
{
	byte left = BLOCKS;

	wish?transfer;
	do
	:: left > 0 ->
		out!block;
		left--
	:: else -> break
	od;
	out!eof;
	stored == BLOCKS;
	outcome!complete
}

active proctype flow()
{
	mtype kept[RANGE];      /* what may have to be sent again */
	mtype what;
	byte oldest, next, open, seen;

end:	do
	:: atomic {
		open < WINDOW && nempty(out) && nfull(line) ->
		out?what;
		kept[next] = what;
		line!what,next;
		next = (next + 1) % RANGE;
		open++
	   }
	:: acks?seen ->
		if
		:: open > 0 && seen == oldest ->
			oldest = (oldest + 1) % RANGE;
			open--
		:: else
		fi
	:: atomic {
		timeout && open > 0 && nfull(line) ->
		line!kept[oldest],oldest
	   }
	od
}

active proctype far()
{
	mtype what;
	byte number, wanted;

end:	do
	:: line?what,number ->
		if
		:: number == wanted ->
			inner!what;
			wanted = (wanted + 1) % RANGE
		:: else
		fi;
		acks!number
#if LOSS
	:: line?what,number            /* lost */
#endif
	od
}

active proctype file()
{
	do
	:: inner?block -> stored++
	:: inner?eof -> break
	od;
	assert(stored == BLOCKS)
}
