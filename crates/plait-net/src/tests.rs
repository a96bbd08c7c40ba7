//! What is read, what is declined, and that neither depends on how the document comes in pieces.

use std::io::Read;
use std::sync::Arc;

use crate::{read, Declined, Net, Reading, Settled};

const HEAD: &str = r#"<pnml><net id=" n " type="http://x/grammar/PTNet"><page id="g">"#;
const TAIL: &str = "</page></net></pnml>";
const PLAIN: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<!-- two places -->
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <name><text>any</text><graphics/></name>
    <arc id="early" source="é" target="t"><inscription><text> 2 </text></inscription></arc>
    <page id="g"><place id="é"><name><text>a &amp; b</text></name><initialMarking><text>3</text>
      </initialMarking></place><place id="q"/><transition id="t"/>
      <arc id="b" source="t" target="q"/><arc source="q" target="t" type="test"/>
      <arc source="t" target="é"/></page></net>
</pnml>
"#;

/// Gives one byte at a time.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(into.len()).min(1);
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn net(text: &[u8]) -> Result<Net, Declined> {
    let (mut whole, mut slow) = (text, Slowly(text));
    let of = |source: &mut dyn Read| match read(source, &mut || true) {
        Reading::Net(net) => Ok(*net),
        Reading::Declined => Err(Declined),
        Reading::Stopped => panic!("nobody stopped it"),
    };
    let (found, again) = (of(&mut whole), of(&mut slow));
    assert_eq!(format!("{found:?}"), format!("{again:?}"));
    found
}

fn inside(text: &str) -> Result<Net, Declined> {
    net(format!("{HEAD}{text}{TAIL}").as_bytes())
}

#[test]
fn nodes_and_arcs_are_read_with_their_places_in_the_file() {
    let net = net(PLAIN.as_bytes()).unwrap();
    assert_eq!(net.name, "n");
    assert_eq!((net.position.line, net.position.column), (4, 3));
    assert_eq!(net.places.names.iter().collect::<Vec<_>>(), ["é", "q"]);
    assert_eq!(
        net.places.comments.iter().collect::<Vec<_>>(),
        ["a & b", ""]
    );
    assert_eq!(net.tokens, [3, 0]);
    let places = [(7, 18), (8, 32)];
    let found = net.places.positions.iter().map(|p| (p.line, p.column));
    assert_eq!(found.collect::<Vec<_>>(), places);
    let effects = net.event(0).iter();
    let effects: Vec<_> = effects
        .map(|e| {
            (
                e.place,
                e.needed,
                e.change,
                e.position.line,
                e.position.column,
            )
        })
        .collect();
    assert_eq!(effects, [(0, 2, -1, 6, 5), (1, 1, 1, 9, 7)]);
}

#[test]
fn what_is_not_plain_is_declined() {
    let place = "<place id='p'/>";
    assert!(inside(place).is_ok());
    for wrong in [
        "<place/>",
        "<place id='p' id='q'/>",
        "<place id='p'id2='q'/>",
        "<place id='p\n'/>",
        "<place id='&#65;'/>",
        "<place id='<'/>",
        "<place id=p/>",
        "<place id='p'></plac>",
        "<place id='p'><capacity><text>0</text></capacity></place>",
        "<place id='p'><initialMarking/></place>",
        "<place id='p'><initialMarking><text>-1</text></initialMarking></place>",
        "<place id='p'><initialMarking><text>2147483648</text></initialMarking></place>",
        "<place id='p'><initialMarking value='1'><text>1</text></initialMarking></place>",
        "<place id='p'><initialMarking><text>1<b/></text></initialMarking></place>",
        "<place id='p'/><place id='p'/>",
        "<place id='p'/><transition id='p'/>",
        "<arc source='p' target='t'/>",
        "<place id='p'/><place id='q'/><arc source='p' target='q'/>",
        "<place id='p'/><transition id='t'/><arc source='t' target='p' type='test'/>",
        "<place id='p'/><transition id='t'/><arc source='p' target='t' type='inhibitor'/>",
        "<place id='p'/><transition id='t'/><arc source='p' target='t'><type value='test'/><type/></arc>",
        "<place id='p'/><transition id='t'/><arc source='p' target='t'>\
         <inscription><text>0</text></inscription></arc>",
        "<referencePlace id='r' ref='p'/>",
        "<x:place id='p'/>",
        "<tököl/>",
        "<!-- a -- b -->",
        "<![CDATA[x]]>",
        "<?php ?>",
        "]]>",
        "&unknown;",
        "a\rb",
        "\u{1}",
        "\u{FFFF}",
    ] {
        assert_eq!(inside(wrong).err(), Some(Declined), "{wrong}");
    }
    for wrong in [
        &b""[..],
        b"<pnml/>",
        b"<pnml><net id='n' type='symmetricnet'/></pnml>",
        b"<pnml><net id='n'/><net id='m'/></pnml>",
        b"<pnml><net id='n'/></pnml><pnml/>",
        b"<pnml><net id='n'/></pnml>x",
        b"<pnml><net id='n'/>",
        b"x<pnml><net id='n'/></pnml>",
        b"<!DOCTYPE pnml><pnml><net id='n'/></pnml>",
        b"<?xml version='1.0' encoding='latin-1'?><pnml><net id='n'/></pnml>",
        b"<?xml version='1.0\"?><pnml><net id='n'/></pnml>",
        b"<pnml><net id='\xFF'/></pnml>",
        b"\xEF\xBB\xBF<pnml><net id='n'/></pnml>",
    ] {
        assert_eq!(
            net(wrong).err(),
            Some(Declined),
            "{}",
            String::from_utf8_lossy(wrong)
        );
    }
    assert!(net(b"<pnml><net id='n'/></pnml>").is_ok());
    let latin = |id: &[u8]| {
        [
            b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><pnml><net id='",
            id,
            b"'/></pnml>",
        ]
        .concat()
    };
    assert!(net(&latin(b"n")).is_ok());
    assert_eq!(net(&latin("é".as_bytes())).err(), Some(Declined));
}

#[test]
fn deep_and_long_documents_are_declined_before_they_cost_much() {
    let deep = "<graphics>".repeat(2000) + &"</graphics>".repeat(2000);
    assert_eq!(inside(&deep).err(), Some(Declined));
    let mut long = std::io::Cursor::new(HEAD).chain(std::io::repeat(b' ').take(1 << 30));
    let mut pieces = 0;
    let mut count = || {
        pieces += 1;
        true
    };
    assert!(matches!(read(&mut long, &mut count), Reading::Declined));
    assert!(pieces < 20, "{pieces} pieces");
}

#[test]
fn reading_stops_when_nobody_wants_to_go_on() {
    let found = read(&mut PLAIN.as_bytes(), &mut || false);
    assert!(matches!(found, Reading::Stopped));
}

#[test]
fn units_are_read_as_they_stand() {
    let text = "<place id='p'/><place id='q'/><toolspecific tool='nupn' version='1.1'>\
        <size places='1'/><structure units='2' root='a' safe='true'><unit id='a'><places/><subunits>b\n</subunits>\
        </unit><unit id='b'><places>p q</places><subunits/></unit></structure></toolspecific>";
    let net = inside(text).unwrap();
    let section = net.units.unwrap();
    assert_eq!((section.root.as_str(), section.safe), ("a", true));
    assert_eq!(section.count.as_deref(), Some("2"));
    assert_eq!(section.units[0].units.iter().collect::<Vec<_>>(), ["b"]);
    assert_eq!(
        section.units[1].places.iter().collect::<Vec<_>>(),
        ["p", "q"]
    );
    assert_eq!(net.groups, Some((vec![None, Some(0)], vec![Some(1); 2])));
    for wrong in [
        text.replace("root='a' ", ""),
        text.replace("id='b'", ""),
        text.replace("p q", ""),
        text.replace("<size places='1'/>", "<sizes/>"),
        format!("{text}{text}"),
    ] {
        assert_eq!(inside(&wrong).err(), Some(Declined), "{wrong}");
    }
}

#[test]
fn units_that_contradict_themselves_or_the_net_are_declined() {
    let net = |count: &str, root: &str, units: &[(&str, &str, &str)]| {
        let unit = |(name, places, below): &(&str, &str, &str)| {
            format!(
                "<unit id='{name}'><places>{places}</places><subunits>{below}</subunits></unit>"
            )
        };
        let units: String = units.iter().map(unit).collect();
        inside(&format!(
            "<place id='p'/><place id='q'/><transition id='t'/><toolspecific tool='nupn'>\
             <structure root='{root}' units='{count}'>{units}</structure></toolspecific>"
        ))
    };
    let sound = [
        ("a", "", "c b"),
        ("b", "p", ""),
        ("c", "", "d"),
        ("d", "q", ""),
    ];
    // Each unit before those below it, in their order.
    let groups = (
        vec![None, Some(0), Some(1), Some(0)],
        vec![Some(3), Some(2)],
    );
    assert_eq!(net(" 4", "a", &sound).unwrap().groups, Some(groups));
    assert_eq!(net("3", "a", &sound).err(), Some(Declined));
    assert_eq!(net("4", "b", &sound).err(), Some(Declined));
    assert_eq!(net("4", "e", &sound).err(), Some(Declined));
    for (at, unit) in [
        (1, ("b", "p q", "")), // a place in two units
        (3, ("d", "p", "")),   // a place in none
        (3, ("d", "q r", "")), // no such place
        (3, ("d", "q t", "")), // a transition
        (3, ("d", "q", "e")),  // no such unit
        (1, ("b", "p", "d")),  // two units above one
        (3, ("d", "q", "c")),  // a cycle
        (3, ("d", "q", "a")),  // something above the root
        (2, ("c", "", "c")),   // a unit below itself
        (0, ("a", "", "b")),   // units outside of the tree
        (3, ("b", "q", "")),   // a name twice
    ] {
        let mut units = sound;
        units[at] = unit;
        assert_eq!(net("4", "a", &units).err(), Some(Declined), "{units:?}");
    }
}

#[test]
fn impossible_events_and_constant_places_go() {
    // `a` feeds `b`; `c` is only tested; `dead` needs more of `c` than there is.
    let nodes = "<place id='a'><initialMarking><text>1</text></initialMarking></place>\
        <place id='b'/><place id='c'><initialMarking><text>2</text></initialMarking></place>\
        <place id='d'/><transition id='u'/><transition id='v'/><transition id='dead'/>";
    let arc = |s: &str, t: &str, w: i32| {
        format!("<arc source='{s}' target='{t}'><inscription><text>{w}</text></inscription></arc>")
    };
    let arcs = [
        arc("b", "u", 5),
        arc("a", "v", 1),
        arc("v", "b", 1),
        arc("c", "v", 2),
        arc("v", "c", 2),
        arc("c", "dead", 3),
        arc("dead", "d", 1),
    ];
    let net = inside(&(nodes.to_owned() + &arcs.concat())).unwrap();
    let settled = Settled::of(&net);
    assert_eq!(
        (&settled.places[..], &settled.events[..]),
        (&[0, 1][..], &[0, 1][..])
    );
    assert!(!settled.is_all(&net));
    let left = settled.net(&net).unwrap();
    assert_eq!(left.places.names.iter().collect::<Vec<_>>(), ["a", "b"]);
    let effects = |e: usize| {
        left.event(e)
            .iter()
            .map(|e| (e.place, e.needed, e.change))
            .collect::<Vec<_>>()
    };
    assert_eq!(effects(0), [(1, 5, -5)]);
    assert_eq!(effects(1), [(0, 1, -1), (1, 0, 1)]);
    assert!(Settled::of(&left).is_all(&left));
    assert_eq!(left.assignment(2).map(|(e, f)| (e, f.place)), Some((1, 1)));
    assert_eq!(left.assignment(3), None);
}

/// Numbers below a limit, always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// A net with loops, test arcs, parallel arcs and events that touch nothing.
fn some_net(numbers: &mut Numbers) -> Net {
    let (places, events) = (1 + numbers.below(5), 1 + numbers.below(4));
    let mut text = String::new();
    for place in 0..places {
        let tokens = numbers.below(3);
        text += &format!(
            "<place id='p{place}'><initialMarking><text>{tokens}</text></initialMarking></place>"
        );
    }
    (0..events).for_each(|event| text += &format!("<transition id='t{event}'/>"));
    for _ in 0..numbers.below(12) {
        let (place, event) = (numbers.below(places), numbers.below(events));
        let (kind, incoming) = match numbers.below(3) {
            0 => ("type='test' ", true),
            side => ("", side == 1),
        };
        let (place, event) = (format!("p{place}"), format!("t{event}"));
        let (source, target) = if incoming {
            (place, event)
        } else {
            (event, place)
        };
        let weight = 1 + numbers.below(3);
        text += &format!(
            "<arc {kind}source='{source}' target='{target}'>\
            <inscription><text>{weight}</text></inscription></arc>"
        );
    }
    inside(&text).unwrap()
}

#[test]
fn tests_and_updates_are_those_that_the_program_compiles_to() {
    let mut numbers = Numbers(7);
    let mut compared = 0;
    for _ in 0..200 {
        let net = Arc::new(some_net(&mut numbers));
        let deferred = net.deferred().unwrap();
        let program = &deferred.frozen().program;
        assert_eq!(program.initial(), net.tokens);
        assert_eq!(program.free().len(), net.events.len());
        for (number, event) in program.events().iter().enumerate() {
            let [variant] = event.variants().unwrap() else {
                panic!("an event of a net is one line");
            };
            assert!(!variant.has_conditions());
            assert_eq!(variant.tests(), net.tests(number));
            assert_eq!(variant.net(), Some(&net.updates(number)[..]));
            compared += variant.tests().len();
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_program_that_is_shared_is_made_once() {
    let net = Arc::new(net(PLAIN.as_bytes()).unwrap());
    let deferred = net.deferred().unwrap();
    assert_eq!(Arc::strong_count(&net), 2); // the net waits for whoever looks
    let first = Arc::as_ptr(&deferred.frozen().program);
    assert_eq!(first, Arc::as_ptr(&deferred.frozen().program));
    assert_eq!(Arc::strong_count(&net), 1);
}

#[test]
fn names_are_told_apart_in_large_files_too() {
    let mut text = String::new();
    (0..3000).for_each(|i| text += &format!("<place id='p{i}'/><transition id='t{i}'/>"));
    for i in 0..3000 {
        let next = (i + 1) % 3000;
        text += &format!("<arc id='a{i}' source='p{i}' target='t{i}'/>");
        text += &format!("<arc id='b{i}' source='t{i}' target='p{next}'/>");
    }
    let text = format!("{HEAD}{text}{TAIL}");
    let Reading::Net(net) = read(&mut text.as_bytes(), &mut || true) else {
        panic!("the net is plain");
    };
    for i in 0..3000u32 {
        let effects = net.event(i as usize);
        let found: Vec<(u32, i32)> = effects.iter().map(|e| (e.place, e.change)).collect();
        assert_eq!(found, [(i, -1), ((i + 1) % 3000, 1)]);
    }
    let twice = text.replace("'a2999'", "'p17'");
    assert!(matches!(
        read(&mut twice.as_bytes(), &mut || true),
        Reading::Declined
    ));
}
