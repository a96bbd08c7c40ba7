//! What is read, what is declined, and that neither depends on how the document comes in pieces.

use std::io::Read;

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
    let text = "<place id='p'/><toolspecific tool='nupn' version='1.1'><size places='1'/>\
        <structure units='2' root='a' safe='true'><unit id='a'><places/><subunits>b\n</subunits>\
        </unit><unit id='b'><places>p q</places><subunits/></unit></structure></toolspecific>";
    let section = inside(text).unwrap().units.unwrap();
    assert_eq!((section.root.as_str(), section.safe), ("a", true));
    assert_eq!(section.count.as_deref(), Some("2"));
    assert_eq!(section.units[0].units.iter().collect::<Vec<_>>(), ["b"]);
    assert_eq!(
        section.units[1].places.iter().collect::<Vec<_>>(),
        ["p", "q"]
    );
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
