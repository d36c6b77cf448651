//! The seam `tools`: tools for the model.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::tools::exports::seam::harness::tools as wit;
use crate::{Content, Export, Instance, json};

pub use wit::{Definition, Event as Call, Failure, Mode, Output};

/// Offers tools to the model, like any other tool: arguments are validated, gates are asked, results are reviewed.
///
/// A panic is the call's error result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `tools` but does not implement `Tools`",
    label = "missing: `impl Tools for {Self}`"
)]
pub trait Tools {
    /// Gives the tools. Asked once per session, at its start.
    fn list_tools(&mut self) -> Vec<Definition>;

    /// Runs a call. What there is before the end goes through [`tool_updates`](crate::tool_updates).
    fn execute(&mut self, call: &Call) -> Result<Output, Failure>;
}

impl Definition {
    /// A tool whose calls may overlap. `parameters` is the JSON Schema of its arguments, as JSON text of an object.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: impl Into<String>) -> Self {
        let (name, description, parameters) = (name.into(), description.into(), parameters.into());
        Self { name, description, parameters, mode: Mode::Parallel }
    }
}

impl Call {
    /// The arguments as a `T`. They match the schema already.
    ///
    /// # Panics
    ///
    /// When they are no `T`. The call fails then.
    #[track_caller]
    pub fn args<T: DeserializeOwned>(&self) -> T {
        json::read("the arguments", &self.arguments)
    }
}

impl Output {
    /// This text, and nothing for programs.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], details: None, structured_content: None, terminate: false }
    }

    /// With these details: any value that serialises to JSON.
    ///
    /// # Panics
    ///
    /// When `details` cannot be written as JSON. The call fails then.
    #[track_caller]
    #[must_use]
    pub fn with_details<T: Serialize + ?Sized>(self, details: &T) -> Self {
        Self { details: Some(json::write("details", details)), ..self }
    }
}

impl Failure {
    /// It failed; the model reads this.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}

impl<P: Instance + Tools> wit::Guest for Export<P> {
    fn list_tools() -> Vec<Definition> {
        P::with(P::list_tools)
    }

    fn execute(event: wit::Event) -> Result<Output, Failure> {
        P::with(|plugin| plugin.execute(&event))
    }
}
