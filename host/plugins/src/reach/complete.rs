//! `complete`: the session's model, within a budget of tokens. A plugin in the shadow asks nobody: what it asks costs the
//! user's tokens.

use seam_harness::reach::complete::{self, Asked, NotCompleted};
use wasmtime::Result;

use crate::bindings::seam::harness::complete::{Completion, Failure, Host, Request};
use crate::reach::NONE;
use crate::reach::call_tool::SHADOW;
use crate::state::{GivenUp, State};
use crate::texts::start;

/// The longest words of a failure, in bytes.
const REASON: usize = 4096;

const ASK: &str = "complete.ask";

impl Host for State {
    fn left(&mut self) -> Result<u32> {
        self.answered_again("complete.left", &NONE, |state| {
            let reach = state.reach("it asked for its budget outside a session")?;
            Ok(reach.tokens_left(&state.shared.name, budget(state)))
        })
    }

    async fn ask(&mut self, request: Request) -> Result<Result<Completion, Failure>> {
        let reach = self.reach("it asked the model outside a session")?;
        let (plugin, most, led) = (self.shared.name.clone(), self.shared.limits.nested(), self.led());
        let (budget, asked) = (budget(self), [request.clone()]);
        let Request { system, prompt, max_tokens } = request;
        let shadow = self.shared.shadow;
        let ask = async move {
            if shadow {
                return Err(Failure::Failed(SHADOW.to_owned()));
            }
            let answer = reach.complete(&plugin, budget, Asked { system, prompt, max_tokens }, &led).await;
            answer.map(completion).map_err(failure)
        };
        let given_up = |why: GivenUp| Err(Failure::Failed(why.to_string()));
        self.waited(ASK, &asked, most, ask, given_up).await
    }
}

/// What it may take in the session.
fn budget(state: &State) -> u32 {
    state.shared.grants.complete.unwrap_or_default()
}

fn completion(answer: complete::Completion) -> Completion {
    let complete::Completion { text, cut_off, tokens } = answer;
    Completion { text, cut_off, tokens }
}

fn failure(not: NotCompleted) -> Failure {
    match not {
        NotCompleted::NoBudget => Failure::NoBudget,
        NotCompleted::Failed(why) => Failure::Failed(start(why, REASON)),
    }
}
