use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use seam_loop::event::UpdateKind;
use seam_loop::{AgentEvent, ToolOutput};
use tokio::sync::Semaphore;

use super::*;
use crate::failure::Failure;
use crate::moment::Conversation;

/// Notes what it sees, once it may.
struct Slow(Arc<Semaphore>, Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Observer for Slow {
    fn watches(&self) -> &[&'static str] {
        &["agent-start", "message-update", "tool-execution-update"]
    }

    async fn observe(&self, event: &Event, _: &Moment) -> Result<(), Failure> {
        let _may = self.0.acquire().await.unwrap();
        let note = match event {
            Event::Agent(AgentEvent::MessageUpdate { delta, .. }) => delta.clone().unwrap_or_default(),
            Event::Agent(AgentEvent::ToolExecutionUpdate { partial_result, .. }) => {
                format!("{:?}", partial_result.is_error)
            }
            other => other.seam().unwrap_or_default().to_owned(),
        };
        self.1.lock().unwrap().push(note);
        Err(Failure::Crash("always".to_owned()))
    }
}

fn delta(text: &str) -> Event {
    let kind = UpdateKind::TextDelta;
    Event::Agent(AgentEvent::MessageUpdate { kind, content_index: 0, delta: Some(text.to_owned()), tool_call_id: None })
}

fn update(is_error: bool) -> Event {
    Event::Agent(AgentEvent::ToolExecutionUpdate {
        tool_call_id: "1".to_owned(),
        tool_name: "t".to_owned(),
        partial_result: ToolOutput { is_error, ..ToolOutput::default() },
    })
}

struct World {
    observers: Observers,
    may: Arc<Semaphore>,
    seen: Arc<Mutex<Vec<String>>>,
    told: Arc<Mutex<Vec<Event>>>,
    sink: Arc<dyn Sink>,
}

fn world() -> World {
    let may = Arc::new(Semaphore::new(0));
    let (seen, told) = (Arc::default(), Arc::<Mutex<Vec<Event>>>::default());
    let sink: Arc<dyn Sink> = {
        let told = Arc::clone(&told);
        Arc::new(move |event: Event| told.lock().unwrap().push(event))
    };
    let observer: Arc<dyn Observer> = Arc::new(Slow(Arc::clone(&may), Arc::clone(&seen)));
    World { observers: Observers::start(&[("slow".into(), observer)], &sink), may, seen, told, sink }
}

impl World {
    fn offer(&self, event: Event) {
        let at = || (Arc::new(Conversation::new("s")).moment(), CancellationToken::new());
        self.observers.offer(&event, at, &*self.sink);
    }

    async fn closed(self, grace: Duration) -> (Vec<String>, Vec<Event>) {
        self.observers.close(grace, &*self.sink).await;
        let (seen, told) = (self.seen.lock().unwrap().clone(), self.told.lock().unwrap().clone());
        (seen, told)
    }
}

#[tokio::test]
async fn a_slow_observer_sees_everything_in_order_and_growth_in_one() {
    let world = world();
    world.offer(Event::Agent(AgentEvent::AgentStart));
    world.offer(Event::Agent(AgentEvent::TurnStart { turn: 1 }));
    for text in ["a", "b", "c"] {
        world.offer(delta(text));
    }
    [update(false), delta("d"), update(true)].into_iter().for_each(|event| world.offer(event));
    world.may.add_permits(1);
    let (seen, told) = world.closed(Duration::from_secs(60)).await;
    assert_eq!(seen, ["agent-start", "abc", "true", "d"]);
    let failed = |event: &Event| matches!(event, Event::Session(SessionEvent::ObserverFailed { .. }));
    assert!(told.len() == 4 && told.iter().all(failed), "{told:?}");
}

#[tokio::test]
async fn a_lag_is_reported_once_and_what_is_given_up_too() {
    let world = world();
    for _ in 0..BEHIND + 50 {
        world.offer(Event::Agent(AgentEvent::AgentStart));
    }
    let (seen, told) = world.closed(Duration::from_millis(50)).await;
    assert_eq!(seen, Vec::<String>::new());
    let behind: Vec<(usize, bool)> = told
        .iter()
        .map(|event| match event {
            Event::Session(SessionEvent::ObserverBehind { waiting, given_up, .. }) => (*waiting, *given_up),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(behind, [(BEHIND, false), (BEHIND + 50, true)]);
}
