//! `tools`: tools that a plugin offers. Each is a tool like any other; its body is the plugin.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::{Failure, Moment};
use seam_loop::{
    CancellationToken, ExecutionMode, Replay, ResolvedTool, Target, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ValidArguments,
};

use crate::bindings::exports::seam::harness::tools as wit;
use crate::convert::content::from_content;
use crate::convert::{is_name, json, object};
use crate::instance::Instances;
use crate::state::{LiveUpdates, View};
use crate::texts::clean;

/// The most tools of one plugin.
const TOOLS: usize = 128;
/// The longest description, in bytes.
const DESCRIPTION: usize = 16 << 10;
/// The longest words of a tool that failed, in bytes.
const REASON: usize = 4096;

/// A plugin's tool in one session.
struct Offered {
    definition: ToolDefinition,
    instances: Arc<Instances>,
    at: Moment,
}

/// The tools a plugin offers.
pub(crate) async fn offered(instances: &Arc<Instances>, at: &Moment) -> Result<Vec<Arc<dyn Tool>>, Failure> {
    let listed = ask!(instances, tools.call_list_tools(), at at, returning 0, within tool_time, with |_| {})?;
    if listed.len() > TOOLS {
        return Err(Failure::InvalidAnswer(format!("it offers {} tools, more than {TOOLS}", listed.len())));
    }
    let tools = listed.into_iter().map(|listed| {
        let offered = Offered { definition: definition(listed)?, instances: Arc::clone(instances), at: at.clone() };
        Ok(Arc::new(offered) as Arc<dyn Tool>)
    });
    tools.collect()
}

fn definition(listed: wit::Definition) -> Result<ToolDefinition, Failure> {
    let wit::Definition { name, description, parameters, mode } = listed;
    if !is_name(&name, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(Failure::InvalidAnswer("the name of a tool is not one".to_owned()));
    }
    if description.len() > DESCRIPTION {
        let most = DESCRIPTION >> 10;
        return Err(Failure::InvalidAnswer(format!("the description of tool `{name}` is longer than {most} KiB")));
    }
    let mode = match mode {
        wit::Mode::Sequential => ExecutionMode::Sequential,
        wit::Mode::Parallel => ExecutionMode::Parallel,
    };
    let parameters = object("the parameters of a tool", &parameters)?.into();
    Ok(ToolDefinition { name: name.into(), description, parameters, mode, replay: Replay::Never })
}

#[async_trait]
impl Tool for Offered {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Call {
            tool: Arc::clone(&self.definition.name),
            arguments: arguments.clone(),
            instances: Arc::clone(&self.instances),
            at: self.at.now(),
        }))
    }
}

/// A call of it.
struct Call {
    tool: Arc<str>,
    arguments: ValidArguments,
    instances: Arc<Instances>,
    at: Moment,
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![Target::Other(format!("whatever plugin `{}` reaches", self.instances.linked.shared.name))]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let given_up = async {
            context.abort.cancelled().await;
            // One that sends updates is told with the next of them, and may end by itself.
            if self.instances.linked.imports.tool_updates {
                tokio::time::sleep(self.instances.linked.shared.limits.time()).await;
            }
        };
        tokio::select! {
            biased;
            () = given_up => Err(ToolError::Aborted),
            result = self.execute(&context) => match result {
                Ok(answer) => answer,
                Err(failure) => {
                    let Instances { linked, recorder, .. } = &*self.instances;
                    let failure = match recorder {
                        Some(recorder) => recorder.rejected("tools", context.call_id, failure),
                        None => failure,
                    };
                    let plugin = &linked.shared.name;
                    Err(ToolError::Failed(format!("Plugin `{plugin}` failed at `{}`: {failure}.", self.tool)))
                }
            },
        }
    }
}

impl Call {
    async fn execute(&self, context: &ToolContext<'_>) -> Result<Result<ToolOutput, ToolError>, Failure> {
        let event = wit::Event { call_id: context.call_id, tool: &self.tool, arguments: self.arguments.text() };
        let returned = 2 * self.arguments.text().len();
        let wanted = self.instances.linked.imports.tool_updates;
        let (updates, abort): (_, CancellationToken) = (context.updates.clone(), context.abort.clone());
        let view = |view: &mut View| {
            view.updates = wanted.then(|| LiveUpdates { updates: updates.clone(), abort: abort.clone(), last: None });
        };
        let instances = &self.instances;
        let at = &self.at;
        let _place = instances.body().await;
        let answer = ask!(instances, tools.call_execute(event) of Some(context.call_id), at at, returning returned, within tool_time, with view)?;
        Ok(match answer {
            Ok(output) => Ok(self::output(output)?),
            Err(wit::Failure::Failed(reason)) => Err(ToolError::Failed(self.failed(&reason))),
            Err(wit::Failure::Cancelled) if context.abort.is_cancelled() => Err(ToolError::Aborted),
            Err(wit::Failure::Cancelled) => {
                let what = "it says that the call was cancelled, and it was not";
                return Err(Failure::InvalidAnswer(what.to_owned()));
            }
        })
    }

    /// The tool's own words, as such.
    fn failed(&self, reason: &str) -> String {
        let (tool, plugin) = (&self.tool, &self.instances.linked.shared.name);
        match clean(reason, REASON).as_str() {
            "" => format!("`{tool}` of plugin `{plugin}` failed and gave no reason."),
            reason => format!("`{tool}` of plugin `{plugin}` failed: {reason}"),
        }
    }
}

fn output(output: wit::Output) -> Result<ToolOutput, Failure> {
    Ok(ToolOutput {
        content: from_content(output.content)?,
        details: output.details.map(|details| json("the details", &details)).transpose()?,
        structured_content: output
            .structured_content
            .map(|structured| object("the structured content", &structured))
            .transpose()?,
        is_error: false,
        usage: None,
        terminate: output.terminate,
    })
}
