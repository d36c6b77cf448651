//! `commands`: what the user can type as `/name arguments`.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Command, CommandOutcome, Commands};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::commands as wit;
use crate::convert::is_name;
use crate::instance::Instances;
use crate::texts::one_line;

/// The most commands of one plugin.
const COMMANDS: usize = 128;
/// The longest description that is shown, in bytes.
const DESCRIPTION: usize = 1024;

/// A plugin's commands in one session.
struct Offered(Arc<Instances>);

/// The commands a plugin offers.
pub(crate) async fn offered(instances: &Arc<Instances>, at: &Moment) -> Result<Vec<Command>, Failure> {
    let seam: Arc<dyn Commands> = Arc::new(Offered(Arc::clone(instances)));
    let listed = ask!(instances, commands.call_list_commands(), at at, returning 0, within tool_time, with |_| {})?;
    if listed.len() > COMMANDS {
        return Err(Failure::InvalidAnswer(format!("it offers {} commands, more than {COMMANDS}", listed.len())));
    }
    let commands = listed.into_iter().map(|wit::Definition { name, description }| {
        if !is_name(&name, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
            return Err(Failure::InvalidAnswer("the name of a command is not one".to_owned()));
        }
        let description = one_line(&description, DESCRIPTION);
        Ok(Command { plugin: Arc::clone(&instances.linked.shared.name), name, description, seam: Arc::clone(&seam) })
    });
    commands.collect()
}

#[async_trait]
impl Commands for Offered {
    async fn run(&self, name: &str, arguments: &str, at: &Moment) -> Result<CommandOutcome, Failure> {
        let event = wit::Event { session: at.session(), name, arguments };
        let returned = 2 * arguments.len();
        let outcome =
            ask!(&self.0, commands.call_run(event), at at, returning returned, within tool_time, with |_| {})?;
        Ok(match outcome {
            wit::Outcome::Failed(reason) => CommandOutcome::Failed(reason),
            wit::Outcome::Reply(reply) => CommandOutcome::Reply(reply),
            wit::Outcome::Prompt(prompt) => CommandOutcome::Prompt(prompt),
        })
    }
}
