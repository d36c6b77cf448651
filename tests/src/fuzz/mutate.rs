//! Mutations of kept inputs, the same for the same seed.

use std::ops::Range;

/// The longest input, in bytes.
const LONGEST: usize = 64 << 10;
/// Numbers at which something may end.
const NUMBERS: [&str; 8] = ["0", "1", "-1", "255", "65536", "4294967295", "18446744073709551615", "1e99"];

/// Inputs without end.
pub struct Mutations {
    corpus: Vec<Vec<u8>>,
    state: u64,
}

impl Mutations {
    /// Mutations of these inputs.
    pub fn new(corpus: Vec<Vec<u8>>, seed: u64) -> Self {
        assert!(!corpus.is_empty(), "there is something to mutate");
        Self { corpus, state: seed }
    }

    /// One more.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.kept().to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let place = self.below(input.len() + 1);
        match self.below(8) {
            0 => flip(input, place, self.below(8)),
            1 => input.insert(place, self.random() as u8),
            2 => drop(input.drain(self.span(input))),
            3 => {
                let again = input[self.span(input)].to_vec();
                input.splice(place..place, again);
            }
            4 => {
                let (from, to) = (self.piece(), self.span(input));
                input.splice(to, from);
            }
            5 => drop(input.drain(line(input, place))),
            6 => {
                let other = self.kept().to_vec();
                let taken = other[line(&other, self.below(other.len() + 1))].to_vec();
                let start = line(input, place).start;
                input.splice(start..start, taken);
            }
            _ => {
                let number = NUMBERS[self.below(NUMBERS.len())];
                input.splice(digits(input, place), number.bytes());
            }
        }
    }

    /// A kept input.
    fn kept(&mut self) -> &[u8] {
        let which = self.below(self.corpus.len());
        &self.corpus[which]
    }

    /// A piece of a kept input.
    fn piece(&mut self) -> Vec<u8> {
        let other = self.kept().to_vec();
        other[self.span(&other)].to_vec()
    }

    /// Some bytes of an input, mostly few.
    fn span(&mut self, input: &[u8]) -> Range<usize> {
        let start = self.below(input.len() + 1);
        let most = if self.below(4) == 0 { input.len() } else { 16 };
        start..(start + self.below(most + 1)).min(input.len())
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random() % end as u64) as usize
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn flip(input: &mut [u8], place: usize, bit: usize) {
    if let Some(byte) = input.get_mut(place) {
        *byte ^= 1 << bit;
    }
}

/// The line around a place, with its end.
fn line(input: &[u8], place: usize) -> Range<usize> {
    let start = input[..place].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = input[place..].iter().position(|byte| *byte == b'\n').map_or(input.len(), |end| place + end + 1);
    start..end
}

/// The first number from a place on; that place when there is none.
fn digits(input: &[u8], place: usize) -> Range<usize> {
    let Some(start) = input[place..].iter().position(u8::is_ascii_digit) else { return place..place };
    let start = place + start;
    let length = input[start..].iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(input.len() - start);
    start..start + length
}
