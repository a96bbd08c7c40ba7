//! A bit for each number, cleared at first: which states or nodes something has happened to.

/// The numbers that are marked.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    pub fn get(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    pub fn set(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    pub fn clear(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.0.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;

    #[test]
    fn a_mark_is_there_from_when_it_was_set_until_it_is_cleared() {
        let mut marks = Marks::default();
        marks.clear(70);
        assert!(!marks.get(70));
        marks.set(70);
        marks.set(6);
        assert!(marks.get(70) && marks.get(6) && !marks.get(134));
        marks.clear(70);
        assert!(!marks.get(70) && marks.get(6));
    }
}
