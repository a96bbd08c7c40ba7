/* The Abracadabra protocol: a connection is set up, data goes one way or both, and it is released.
 *
 * The kind of protocol that Godefroid's thesis measures as ABRA (after Turner's collection of formal
 * descriptions); its text is not public. This one is rebuilt from the service: CR is answered by CC
 * or DR, two CR that cross confirm each other, data is numbered by an alternating bit and a second
 * copy is acknowledged again and dropped, CR, DT and DR are sent again at most RETRIES times, after
 * which the connection is given up. Departures: the lines may lose at most LOSSES messages in all,
 * each user asks for a connection at most once and sends at most DATA messages.
 */
#ifndef RETRIES
#define RETRIES 1
#endif
#ifndef DATA
#define DATA 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif

mtype = { ConReq, ConInd, ConResp, ConConf, DatReq, DatInd, DisReq, DisInd };
mtype = { CR, CC, DT, AK, DR, DC };

chan down[2] = [1] of { mtype };        /* from a user to its station */
chan up[2]   = [1] of { mtype };        /* from a station to its user */
chan line[2] = [2] of { mtype, bit };   /* to station i */
byte lost;

proctype user(byte i)
{
	byte sent;

	if
	:: down[i]!ConReq ->
		if
		:: up[i]?ConConf -> goto connected
		:: up[i]?DisInd -> goto over
		fi
	:: up[i]?ConInd ->
		if
		:: down[i]!ConResp -> goto connected
		:: down[i]!DisReq -> goto over
		fi
	fi;

connected:
	do
	:: sent < DATA -> down[i]!DatReq; sent++
	:: up[i]?DatInd
	:: up[i]?DisInd -> goto over
	:: down[i]!DisReq -> goto over
	od;

over:
end:	do
	:: up[i]?DatInd
	:: up[i]?DisInd
	:: up[i]?ConConf
	:: up[i]?ConInd
	od
}

proctype station(byte i)
{
	byte tries;
	bit next, expected, number;

idle:
end:	if
	:: down[i]?ConReq -> line[1 - i]!CR,0; tries = 0; goto calling
	:: line[i]?CR,number -> up[i]!ConInd; goto called
	:: line[i]?DR,number -> line[1 - i]!DC,0; goto idle
	:: line[i]?CC,number -> goto idle
	:: line[i]?DT,number -> goto idle
	:: line[i]?AK,number -> goto idle
	:: line[i]?DC,number -> goto idle
	:: down[i]?DatReq -> goto idle
	:: down[i]?DisReq -> goto idle
	:: down[i]?ConResp -> goto idle
	fi;

calling:
	if
	:: line[i]?CC,number -> up[i]!ConConf; goto open
	:: line[i]?CR,number -> up[i]!ConConf; goto open
	:: line[i]?DR,number -> line[1 - i]!DC,0; up[i]!DisInd; goto idle
	:: line[i]?DC,number -> goto calling
	:: line[i]?DT,number -> goto calling
	:: line[i]?AK,number -> goto calling
	:: timeout ->
		if
		:: tries < RETRIES -> tries++; line[1 - i]!CR,0; goto calling
		:: tries == RETRIES -> up[i]!DisInd; tries = 0; line[1 - i]!DR,0; goto closing
		fi
	fi;

called:
	if
	:: down[i]?ConResp -> line[1 - i]!CC,0; goto open
	:: down[i]?DisReq -> tries = 0; line[1 - i]!DR,0; goto closing
	:: line[i]?CR,number -> goto called
	:: line[i]?DR,number -> line[1 - i]!DC,0; up[i]!DisInd; goto idle
	fi;

open:
	next = 0; expected = 0;
opened:
	if
	:: down[i]?DatReq -> tries = 0; line[1 - i]!DT,next; goto sending
	:: down[i]?DisReq -> tries = 0; line[1 - i]!DR,0; goto closing
	:: line[i]?CR,number -> line[1 - i]!CC,0; goto opened
	:: line[i]?CC,number -> goto opened
	:: line[i]?AK,number -> goto opened
	:: line[i]?DC,number -> goto opened
	:: line[i]?DT,number ->
		line[1 - i]!AK,number;
		if
		:: number == expected -> expected = 1 - expected; up[i]!DatInd
		:: number != expected
		fi;
		goto opened
	:: line[i]?DR,number -> line[1 - i]!DC,0; up[i]!DisInd; goto idle
	fi;

sending:
	if
	:: line[i]?AK,number ->
		if
		:: number == next -> next = 1 - next; goto opened
		:: number != next -> goto sending
		fi
	:: line[i]?DT,number ->
		line[1 - i]!AK,number;
		if
		:: number == expected -> expected = 1 - expected; up[i]!DatInd
		:: number != expected
		fi;
		goto sending
	:: line[i]?CR,number -> line[1 - i]!CC,0; goto sending
	:: line[i]?CC,number -> goto sending
	:: line[i]?DC,number -> goto sending
	:: line[i]?DR,number -> line[1 - i]!DC,0; up[i]!DisInd; goto idle
	:: timeout ->
		if
		:: tries < RETRIES -> tries++; line[1 - i]!DT,next; goto sending
		:: tries == RETRIES -> up[i]!DisInd; tries = 0; line[1 - i]!DR,0; goto closing
		fi
	fi;

closing:
	if
	:: line[i]?DC,number -> goto idle
	:: line[i]?DR,number -> line[1 - i]!DC,0; goto idle
	:: line[i]?CR,number -> goto closing
	:: line[i]?CC,number -> goto closing
	:: line[i]?DT,number -> goto closing
	:: line[i]?AK,number -> goto closing
	:: down[i]?DatReq -> goto closing
	:: timeout ->
		if
		:: tries < RETRIES -> tries++; line[1 - i]!DR,0; goto closing
		:: tries == RETRIES -> goto idle
		fi
	fi
}

/* The lines lose messages. */
active proctype weather()
{
	bit i, number;

end:	do
	:: lost < LOSSES && nempty(line[0]) -> atomic { line[0]?_,number; lost++ }
	:: lost < LOSSES && nempty(line[1]) -> atomic { line[1]?_,number; lost++ }
	od
}

init
{
	atomic { run user(0); run user(1); run station(0); run station(1) }
}
