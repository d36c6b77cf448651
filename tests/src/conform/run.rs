//! Runs a scenario: its steps, one after another, on a paused clock.

use std::sync::Arc;

use seam_loop::{
    CancellationToken, Content, Message, Queue, RunConfig, RunOutcome, StartError, UserMessage, continue_run, prompt,
};
use seam_providers::{Script, Scripted};
use serde_json::{Value, json};

use super::events::Listener;
use super::hooks::Recorded;
use super::json::put;
use super::parse;
use super::provider::Asked;
use super::stage::Stage;
use super::tools::Tools;

/// Runs a scenario on the loop and gives its recording: `trace`, `requests`, `transcript` and `toolRuns`.
///
/// # Errors
/// When the scenario cannot be read, or asks for something that this loop does not do.
pub fn record(scenario: &Value) -> Result<Value, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.map_err(|error| error.to_string())?.block_on(play(scenario.clone()))
}

async fn play(mut scenario: Value) -> Result<Value, String> {
    seam_providers::scripted::expand_repeats(&mut scenario)?;
    let script = Script::from_value(script(&scenario), "the scenario").map_err(|error| error.to_string())?;
    let script = Scripted::new(script);
    let stage = Stage::new(scenario)?;
    let steps = stage.scenario["steps"].as_array().cloned().unwrap_or_default();
    for (index, step) in steps.iter().enumerate() {
        take(&stage, &script, index, step).await?;
    }
    stage.finish().await
}

/// The answers of a scenario, without the keys that others take the place of.
fn script(scenario: &Value) -> Value {
    let mut turns = scenario["turns"].as_array().cloned().unwrap_or_default();
    for turn in turns.iter_mut().filter_map(Value::as_object_mut) {
        if turn.contains_key("throws") {
            turn.retain(|key, _| key == "throws");
        } else if turn.contains_key("error") {
            turn.retain(|key, _| key != "stopReason" && key != "errorMessage");
        }
    }
    json!({ "turns": turns })
}

/// Takes one step.
async fn take(stage: &Arc<Stage>, script: &Scripted, index: usize, step: &Value) -> Result<(), String> {
    let prompts = match step.get("prompt") {
        Some(what) => Some(prompts(what, &step["images"])?),
        None if step.get("continue").is_some() => None,
        None => return stage.act(step),
    };
    let call = if prompts.is_some() { "prompt" } else { "continue" };
    stage.at(json!({ "step": index, "call": call })).await?;
    let mut over = json!({ "step": index });
    match run(stage, script, prompts).await? {
        Ok(outcome) => {
            let agent = stage.agent();
            over["settled"] = json!(true);
            put(&mut over, "errorMessage", outcome.error.or_else(|| agent.error.clone()));
            put(&mut over, "queued", agent.has_queued().then_some(true));
        }
        Err(rejected) => over["rejected"] = json!(rejected.to_string()),
    }
    stage.at(over).await
}

/// One run, from the agent's state and back to it.
async fn run(
    stage: &Arc<Stage>,
    script: &Scripted,
    prompts: Option<Vec<Message>>,
) -> Result<Result<RunOutcome, StartError>, String> {
    let (tools, hooks, events) = (Tools::active(stage)?, Recorded::new(stage), Listener(stage));
    let provider = Asked { stage, system: hooks.system(), script };
    let abort = CancellationToken::new();
    let (model, mut transcript, steering, follow_up) = {
        let mut agent = stage.agent();
        agent.abort = Some(abort.clone());
        agent.error = None;
        let transcript = std::mem::take(&mut agent.transcript);
        (stage.model(&agent.model), transcript, agent.steering.clone(), agent.follow_up.clone())
    };
    let (thinking_level, system_prompt, sequential) = {
        let agent = stage.agent();
        (agent.thinking_level, agent.system_prompt.clone(), agent.sequential)
    };
    let observed = hooks.observes_polls();
    let (steering, follow_up) = match observed {
        true => (recorded(stage, "steering", steering), recorded(stage, "followUp", follow_up)),
        false => (steering, follow_up),
    };
    let config = RunConfig {
        provider: &provider,
        dispatch: &tools,
        hooks: &hooks,
        events: &events,
        steering: &steering,
        follow_up: &follow_up,
        model: &model,
        thinking_level,
        system_prompt: &system_prompt,
        sequential,
        abort: &abort,
    };
    let outcome = match prompts {
        Some(prompts) => Ok(prompt(&config, &mut transcript, prompts).await),
        None => continue_run(&config, &mut transcript).await,
    };
    let mut agent = stage.agent();
    agent.transcript = transcript;
    agent.abort = None;
    Ok(outcome)
}

/// The queue, its polls recorded.
fn recorded(stage: &Arc<Stage>, name: &'static str, queue: Queue) -> Queue {
    let stage = Arc::clone(stage);
    queue.observed(move |drained| stage.tell(json!({ "queue": name, "drained": drained })))
}

/// The messages of a prompt: a text with images, a message, or a list.
fn prompts(what: &Value, images: &Value) -> Result<Vec<Message>, String> {
    match what {
        Value::Array(_) => parse::messages(what),
        Value::String(text) => {
            let mut content = vec![Content::text(text)];
            for image in images.as_array().into_iter().flatten() {
                content.push(parse::image(image)?);
            }
            Ok(vec![Message::User(UserMessage { content, timestamp: 0 })])
        }
        message => Ok(vec![parse::message(message)?]),
    }
}
