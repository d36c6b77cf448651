//! Virtual time: a sleep ends only when nothing else can run, one sleep after the other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// How often everything else may run before the next sleep ends. Nothing in a run hands over nearly as often without a
/// sleep.
const ROUNDS: usize = 64;

/// The sleeps under way. Runs on a paused tokio clock, which moves on when every task waits.
#[derive(Default)]
pub(super) struct Clock {
    sleeps: Mutex<Sleeps>,
    changed: Notify,
}

#[derive(Default)]
struct Sleeps {
    /// By the time they are due, then in the order they were started.
    waiting: BTreeMap<(Instant, u64), oneshot::Sender<()>>,
    started: u64,
}

impl Clock {
    /// A clock, and a task that drives it.
    pub(super) fn start() -> Arc<Self> {
        let clock = Arc::new(Self::default());
        tokio::spawn(Arc::clone(&clock).drive());
        clock
    }

    /// Sleeps for this many virtual milliseconds.
    pub(super) async fn sleep(&self, ms: u64) {
        let (waker, woken) = oneshot::channel();
        {
            let mut sleeps = self.sleeps.lock().unwrap();
            let turn = (Instant::now() + Duration::from_millis(ms), sleeps.started);
            sleeps.started += 1;
            sleeps.waiting.insert(turn, waker);
        }
        self.changed.notify_one();
        let _driven = woken.await;
    }

    async fn drive(self: Arc<Self>) {
        loop {
            settle().await;
            let first = self.sleeps.lock().unwrap().waiting.keys().next().copied();
            match first {
                None => self.changed.notified().await,
                Some((due, _)) => tokio::select! {
                    biased;
                    () = self.changed.notified() => {}
                    () = tokio::time::sleep_until(due) => self.wake_first(),
                },
            }
        }
    }

    fn wake_first(&self) {
        let first = self.sleeps.lock().unwrap().waiting.pop_first();
        if let Some((_, sleeper)) = first {
            let _gone = sleeper.send(());
        }
    }
}

async fn settle() {
    for _ in 0..ROUNDS {
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sleeps_end_in_order_and_one_after_the_other() {
        let clock = Clock::start();
        let ended = Mutex::new(Vec::new());
        let sleep = async |name: &'static str, ms| {
            clock.sleep(ms).await;
            ended.lock().unwrap().push(name);
            tokio::task::yield_now().await;
            ended.lock().unwrap().push(name);
        };
        tokio::join!(sleep("c", 20), sleep("a", 10), sleep("b", 10), sleep("0", 0));
        assert_eq!(*ended.lock().unwrap(), ["0", "0", "a", "a", "b", "b", "c", "c"]);
    }
}
