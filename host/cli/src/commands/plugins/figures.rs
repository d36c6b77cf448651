//! What journals say of plugins: how often they were asked, how often they failed, how long they took.

use std::collections::{HashMap, HashSet};
use std::iter::Sum;
use std::path::Path;

use seam_plugins::Plugin;
use seam_session::JournalError;
use seam_session::journal::{self, Crossing, Outcome, Record, Rejected};

/// Of one plugin at one seam, or at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) failures: u64,
    /// How long each call took, in microseconds.
    took: Vec<u32>,
}

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// How many sessions have a journal.
    pub(crate) sessions: usize,
    /// By plugin and by seam.
    pub(crate) plugins: HashMap<String, HashMap<String, Figures>>,
}

impl Figures {
    pub(crate) fn calls(&self) -> usize {
        self.took.len()
    }

    /// So many of a hundred calls took no longer than this, in microseconds.
    pub(crate) fn percentile(&self, of_100: usize) -> Option<u32> {
        let mut took = self.took.clone();
        let place = (took.len() * of_100).div_ceil(100).checked_sub(1)?;
        Some(*took.select_nth_unstable(place).1)
    }
}

impl<'a> Sum<&'a Self> for Figures {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum.failures += one.failures;
            sum.took.extend(&one.took);
            sum
        })
    }
}

impl Counted {
    /// What the journals of these sessions say of these very files. One that cannot be read counts as far as it can, and is
    /// told.
    pub(crate) fn of<'a>(sessions: impl Iterator<Item = &'a Path>, plugins: &[Plugin], tell: impl Fn(&str)) -> Self {
        let digests = plugins.iter().map(|plugin| (plugin.name().to_owned(), plugin.digest().to_string())).collect();
        let mut counted = Self::default();
        for session in sessions {
            match counted.add(session, &digests) {
                Ok(()) => counted.sessions += 1,
                Err(JournalError::Absent { .. }) => {}
                Err(error) => tell(&format!("not all is counted: {error}")),
            }
        }
        counted
    }

    fn add(&mut self, session: &Path, digests: &HashMap<String, String>) -> Result<(), JournalError> {
        // Whose last call was one of the file that is counted: what is rejected is the answer of that.
        let mut current = HashSet::new();
        for record in journal::read(session)? {
            match record?.1 {
                Record::Crossing(Crossing { plugin, digest, seam, took_us, outcome, .. }) => {
                    if digests.get(&*plugin).is_none_or(|counted| *counted != *digest) {
                        current.remove(&*plugin);
                        continue;
                    }
                    let figures = self.at(&plugin, &seam);
                    figures.took.push(u32::try_from(took_us).unwrap_or(u32::MAX));
                    figures.failures += u64::from(matches!(outcome, Outcome::Failure { .. }));
                    current.insert(plugin.into_owned());
                }
                Record::Rejected(Rejected { plugin, seam, .. }) if current.contains(&*plugin) => {
                    self.at(&plugin, &seam).failures += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn at(&mut self, plugin: &str, seam: &str) -> &mut Figures {
        self.plugins.entry(plugin.to_owned()).or_default().entry(seam.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    #[test]
    fn a_percentile_is_a_time_that_a_call_took() {
        let of = |took: Vec<u32>| Figures { failures: 0, took };
        assert_eq!(of(vec![]).percentile(50), None);
        assert_eq!(of(vec![7]).percentile(99), Some(7));
        let hundred = of((1..=100).rev().collect());
        assert_eq!((hundred.percentile(50), hundred.percentile(99)), (Some(50), Some(99)));
        assert_eq!(of(vec![3, 1, 2]).percentile(50), Some(2));
    }
}
