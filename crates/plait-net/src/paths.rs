//! Groups of places by their names: `a.b:c` is in the group `a.b`, which is in the group `a`.

use std::collections::{HashMap, HashSet};

use crate::net::Names;

/// Deeper paths are cut: names may be long.
const DEEPEST: usize = 16;

/// The parent of each group, parents first, and the innermost group of each name.
pub type Groups = (Vec<Option<u32>>, Vec<Option<u32>>);

/// The groups that the names tell of; a name that is a prefix of another one's path is in that group.
pub fn groups(names: &Names) -> Groups {
    let mut above: HashSet<&str> = HashSet::new();
    for name in names.iter() {
        above.extend(prefixes_of(name));
    }
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut parents: Vec<Option<u32>> = Vec::new();
    let mut members = Vec::with_capacity(names.len());
    for name in names.iter() {
        let mut innermost = None;
        let itself = above.contains(name).then_some(name);
        for prefix in prefixes_of(name).chain(itself) {
            let number = *known.entry(prefix).or_insert_with(|| {
                parents.push(innermost);
                (parents.len() - 1) as u32
            });
            innermost = Some(number);
        }
        members.push(innermost);
    }
    (parents, members)
}

/// `a.b:c` gives `a` and `a.b`.
fn prefixes_of(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.match_indices(['.', ':']).map(|(end, _)| end);
    ends.filter(|end| *end > 0)
        .take(DEEPEST)
        .map(|end| &name[..end])
}
