//! From loaded plugins to a session's hooks, tools and commands.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use seam_harness::seams::Command;
use seam_harness::{Conversation, HookBus, Moment};
use seam_loop::Tool;
use seam_session::journal::Journal;

use crate::instance::Instances;
use crate::journal::share::Shares;
use crate::journal::{self, Recorder};
use crate::link::Plugin;
use crate::load::{LoadError, LoadProblem};
use crate::seams;

/// What plugins are in a session.
#[derive(Default)]
pub struct Connected {
    /// Their hooks, in the plugins' order.
    pub bus: HookBus,
    /// The tools of the session: the host's own, then those that plugins offer.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The commands they offer.
    pub commands: Vec<Command>,
    /// Those that failed to say what they offer, or offer what is there already.
    pub errors: Vec<LoadError>,
}

/// The names that are taken.
struct Taken {
    tools: HashSet<Arc<str>>,
    /// With the plugin of each.
    commands: HashMap<String, Arc<str>>,
}

/// Connects these plugins to the session of a conversation, in the plugins' order. Each gets instances of its own for
/// it, and is asked for its tools and commands. `own` are the host's tools: no plugin can offer one of their names. With
/// a journal, everything that any of them is asked and says is written there. What a shadow offers is not asked for.
pub async fn connect(
    plugins: &[Plugin],
    conversation: Arc<Conversation>,
    own: Vec<Arc<dyn Tool>>,
    journal: Option<&Arc<Journal>>,
) -> Connected {
    let at = &conversation.moment();
    let bus = HookBus { conversation, journal: journal.cloned(), ..HookBus::default() };
    let tools = own.iter().map(|tool| Arc::clone(&tool.definition().name)).collect();
    journal.iter().for_each(|journal| journal.forget_plugins());
    let mut taken = Taken { tools, commands: HashMap::new() };
    let mut connected = Connected { bus, tools: own, ..Connected::default() };
    let shares = Shares::default();
    for plugin in plugins {
        let recorder = journal.map(|journal| Recorder::start(plugin, journal, &shares));
        let instances = Instances::of(plugin, recorder);
        seams::connect(plugin, &instances, &mut connected.bus);
        if plugin.is_shadow() {
            continue;
        }
        if let Err(problem) = offered(plugin, &instances, at, &mut taken, &mut connected).await {
            connected.errors.push(LoadError { file: PathBuf::from(plugin.file()), problem });
        }
    }
    connected
}

/// Writes into a journal that these plugins are asked again, and no others: those that were to take their place did not.
pub fn announce(plugins: &[Plugin], journal: &Journal) {
    journal.forget_plugins();
    plugins.iter().for_each(|plugin| journal::announce(plugin, journal));
}

async fn offered(
    plugin: &Plugin,
    instances: &Arc<Instances>,
    at: &Moment,
    taken: &mut Taken,
    connected: &mut Connected,
) -> Result<(), LoadProblem> {
    let failed = |seam| move |failure| LoadProblem::Offer { seam, failure };
    if plugin.linked.indices.tools.is_some() {
        for tool in seams::tools::offered(instances, at).await.map_err(failed("tools"))? {
            let name = &tool.definition().name;
            if !taken.tools.insert(Arc::clone(name)) {
                return Err(LoadProblem::SameTool(name.to_string()));
            }
            instances.recorder.iter().for_each(|recorder| recorder.offers(name));
            connected.tools.push(tool);
        }
    }
    if plugin.linked.indices.commands.is_some() {
        for command in seams::commands::offered(instances, at).await.map_err(failed("commands"))? {
            if let Some(other) = taken.commands.get(&command.name) {
                return Err(LoadProblem::SameCommand { name: command.name, other: other.to_string() });
            }
            taken.commands.insert(command.name.clone(), Arc::clone(&command.plugin));
            connected.commands.push(command);
        }
    }
    Ok(())
}
