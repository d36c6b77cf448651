//! Runs a shell to its end, reading what it prints, with live updates.

use std::convert::Infallible;
use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use seam_loop::tool::{ToolContext, ToolOutput, Updates};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::collected::Collected;
use super::shell::{Process, Shell};

/// The shortest time between two live updates.
const UPDATE: Duration = Duration::from_millis(100);

/// How long output is still read after the shell's exit, when something holds the pipe open.
const DRAIN: Duration = Duration::from_millis(150);

/// How a command ended.
#[derive(Debug)]
pub(super) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// At its time limit.
    TimedOut,
    /// The user aborted it.
    Aborted,
}

/// Runs it. Nothing of its group is left after a time limit or an abort.
pub(super) async fn run(
    shell: &mut Shell,
    collected: &Mutex<Collected>,
    limit: Duration,
    context: &ToolContext<'_>,
) -> io::Result<End> {
    let Shell { process, output } = shell;
    tokio::select! {
        end = to_end(process, output, collected, limit, context) => end,
        never = tell(&context.updates, collected) => match never {},
    }
}

async fn to_end(
    process: &mut Process,
    output: &mut Receiver,
    collected: &Mutex<Collected>,
    limit: Duration,
    context: &ToolContext<'_>,
) -> io::Result<End> {
    // Output comes last: a flood of it must not keep the others from being heard.
    let end = read_until(output, collected, async {
        tokio::select! {
            biased;
            () = context.abort.cancelled() => Ok(End::Aborted),
            () = sleep(limit) => Ok(End::TimedOut),
            status = process.exit() => status.map(End::Exited),
        }
    });
    let end = end.await?;
    if !matches!(end, End::Exited(_)) {
        read_until(output, collected, process.stop()).await;
    }
    let _still_open = timeout(DRAIN, async { while read(output, collected).await {} }).await;
    Ok(end)
}

/// Reads output until something else is done.
async fn read_until<T>(output: &mut Receiver, collected: &Mutex<Collected>, done: impl Future<Output = T>) -> T {
    let mut done = std::pin::pin!(done);
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            result = &mut done => return result,
            more = read(output, collected), if is_open => is_open = more,
        }
    }
}

/// Reads some output. `false` at its end.
async fn read(output: &mut Receiver, collected: &Mutex<Collected>) -> bool {
    let mut chunk = [0; 16 * 1024];
    match output.read(&mut chunk).await {
        Ok(length) if length > 0 => {
            let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
            collected.push(chunk.get(..length).unwrap_or_default());
            true
        }
        _ => false,
    }
}

/// Tells the user what lines there are so far, whenever there are more.
async fn tell(updates: &Updates, collected: &Mutex<Collected>) -> Infallible {
    let mut tick = interval(UPDATE);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = 0;
    loop {
        tick.tick().await;
        let more = collected.lock().unwrap_or_else(PoisonError::into_inner).recent(told);
        if let Some((total, text)) = more {
            told = total;
            updates.send(ToolOutput::text(text)).await;
        }
    }
}
