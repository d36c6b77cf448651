//! Standard input. One thread reads it, a line at a time and only when somebody wants one: a line that is typed is a
//! prompt, or the answer to the question that was on the screen when it was sent off, and never lost between the two.

mod lines;

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::{Notify, oneshot};

pub(crate) use lines::{LONGEST, Line};

/// Standard input. Cloning shares it.
#[derive(Clone, Default)]
pub(crate) struct Input(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the thread that reads.
    wanted: Condvar,
    /// Wakes those that wait for a prompt.
    arrived: Notify,
}

#[derive(Default)]
struct State {
    /// What was read and nobody has taken.
    lines: VecDeque<Line>,
    /// A question is open, since then.
    question: Option<(oneshot::Sender<Line>, Instant)>,
    /// A line is to be read.
    wanted: bool,
    /// One is being read. Nobody else may.
    reading: bool,
    /// The thread is there.
    started: bool,
    /// There is nothing more to read.
    over: bool,
}

impl Input {
    /// The next line that answers no question. None at the end.
    pub(crate) async fn line(&self) -> Option<Line> {
        loop {
            let arrived = self.0.arrived.notified();
            {
                let mut state = self.0.lock();
                if let Some(line) = state.lines.pop_front() {
                    return Some(line);
                }
                if state.over {
                    return None;
                }
                self.want(&mut state);
            }
            arrived.await;
        }
    }

    /// Prints a question and gives the line that is typed after it; none when there is none. Lines that were typed before
    /// are no answer: they stay for others, and half a line is dropped. One question is asked at a time.
    pub(crate) async fn answer(&self, question: &str) -> Option<Line> {
        let answered = {
            let mut state = self.0.lock();
            state.hold_back();
            tcflush(io::stdin(), QueueSelector::IFlush).ok()?;
            print(question).ok()?;
            if state.over {
                return None;
            }
            let (answer, answered) = oneshot::channel();
            state.question = Some((answer, Instant::now()));
            self.want(&mut state);
            answered
        };
        answered.await.ok()
    }

    /// Lets the thread read a line. Without a thread there is nothing to read.
    fn want(&self, state: &mut State) {
        state.wanted = true;
        self.0.wanted.notify_one();
        if !state.started {
            let shared = Arc::clone(&self.0);
            // A thread of its own: one of the runtime's would keep the process alive until somebody types something.
            let reading = std::thread::Builder::new().name("seam-input".to_owned()).spawn(move || shared.read());
            (state.started, state.over) = (true, reading.is_err());
        }
    }
}

impl Shared {
    fn read(&self) {
        loop {
            {
                let state = self.lock();
                let mut state =
                    self.wanted.wait_while(state, |state| !state.wanted).unwrap_or_else(PoisonError::into_inner);
                (state.wanted, state.reading) = (false, true);
            }
            let line = lines::next(&mut io::stdin().lock());
            let read = Instant::now();
            let mut state = self.lock();
            state.reading = false;
            state.take(line, read);
            let is_over = state.over;
            drop(state);
            self.arrived.notify_waiters();
            if is_over {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes in what was read, or that there is nothing more: to a question that is no answer. What was sent off before a
    /// question is no answer to it either, and what nobody waits for any more is none.
    fn take(&mut self, line: Option<Line>, read: Instant) {
        let Some(line) = line else {
            self.over = self.question.take().is_none();
            return;
        };
        match self.question.take() {
            Some((answer, asked)) if asked <= read => {
                if let Err(line) = answer.send(line) {
                    self.lines.push_back(line);
                }
            }
            question => {
                self.lines.push_back(line);
                self.wanted = question.is_some();
                self.question = question;
            }
        }
    }

    /// Reads the lines that wait at the terminal. While the thread reads, none do.
    fn hold_back(&mut self) {
        let waits = || rustix::io::ioctl_fionread(io::stdin()).is_ok_and(|bytes| bytes > 0);
        while !self.reading && !self.over && waits() {
            let line = lines::next(&mut io::stdin().lock());
            self.take(line, Instant::now());
        }
    }
}

/// Stdout is free again when this ends, so that a run that is aborted meanwhile can say so.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

#[cfg(test)]
mod tests;
