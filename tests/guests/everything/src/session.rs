//! The five seams of a session.

use seam::resources_discover::{Document, Occasion, Offer, ResourcesDiscover};
use seam::session_before_compact::{self, Compaction, SessionBeforeCompact, Summary};
use seam::session_before_fork::{self, Fork, SessionBeforeFork};
use seam::session_before_switch::{self, SessionBeforeSwitch, Switch};
use seam::session_before_tree::{self, Move, SessionBeforeTree};

use crate::Everything;
use crate::deed::Facts;

impl SessionBeforeSwitch for Everything {
    fn decide(&mut self, switch: &Switch) -> session_before_switch::Outcome {
        use session_before_switch::Outcome;
        let Some(deed) = self.deed("session-before-switch", switch, Facts::default()) else { return Outcome::Proceed };
        match deed.what.as_str() {
            "cancel" => Outcome::cancel(&deed.text),
            _ => deed.nothing(Outcome::Proceed),
        }
    }
}

impl SessionBeforeFork for Everything {
    fn decide(&mut self, fork: &Fork) -> session_before_fork::Outcome {
        use session_before_fork::Outcome;
        let Some(deed) = self.deed("session-before-fork", fork, Facts::default()) else { return Outcome::Proceed };
        match deed.what.as_str() {
            "cancel" => Outcome::cancel(&deed.text),
            _ => deed.nothing(Outcome::Proceed),
        }
    }
}

impl SessionBeforeCompact for Everything {
    fn decide(&mut self, compaction: &Compaction) -> session_before_compact::Outcome {
        use session_before_compact::Outcome;
        let deed = self.deed("session-before-compact", compaction, Facts::default());
        let Some(deed) = deed else { return Outcome::Proceed };
        let before = compaction.previous_summary.as_deref().unwrap_or_default();
        match deed.what.as_str() {
            "cancel" => Outcome::cancel(&deed.text),
            "summary" => Outcome::Summary(Summary {
                text: deed.text(before),
                details: deed.details.as_ref().map(ToString::to_string),
            }),
            _ => deed.nothing(Outcome::Proceed),
        }
    }
}

impl SessionBeforeTree for Everything {
    fn decide(&mut self, step: &Move) -> session_before_tree::Outcome {
        use session_before_tree::{Change, Outcome};
        let Some(deed) = self.deed("session-before-tree", step, Facts::default()) else { return Outcome::Proceed };
        let changes = [
            deed.summary.clone().map(Change::Summary),
            deed.instructions.clone().map(Change::Instructions),
            deed.label.clone().map(Change::Label),
        ];
        match deed.what.as_str() {
            "cancel" => Outcome::cancel(&deed.text),
            "change" => Outcome::Change(changes.into_iter().flatten().collect()),
            _ => deed.nothing(Outcome::Proceed),
        }
    }
}

impl ResourcesDiscover for Everything {
    fn discover(&mut self, occasion: &Occasion) -> Vec<Offer> {
        let Some(deed) = self.deed("resources-discover", occasion, Facts::default()) else { return Vec::new() };
        let skills = deed.skills.iter().map(|(name, does, text)| Offer::Skill(Document::new(name, does, text)));
        let templates = deed.prompt_templates.iter();
        let templates = templates.map(|(name, does, text)| Offer::PromptTemplate(Document::new(name, does, text)));
        deed.nothing(skills.chain(templates).collect())
    }
}
