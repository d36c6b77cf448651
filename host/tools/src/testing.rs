//! What the tests of this crate share: a workspace in a temporary folder, with a folder outside beside it.

use std::path::PathBuf;
use std::sync::Arc;

use seam_loop::Tool;
use seam_loop::arguments::{ArgumentSchema, ValidArguments};
use seam_loop::tool::{
    Access, Location, NoCalls, Resolution, ResolvedTool, Target, ToolContext, ToolError, ToolOutput, Updates,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::path::Workspace;

pub(crate) struct Fixture {
    _temporary: tempfile::TempDir,
    /// Canonical.
    pub(crate) root: PathBuf,
    /// Canonical.
    pub(crate) outside: PathBuf,
    pub(crate) workspace: Arc<Workspace>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::allowing(&[])
    }

    /// Allows names beside the workspace.
    pub(crate) fn allowing(allowed: &[&str]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path().canonicalize().unwrap();
        let (root, outside) = (base.join("ws"), base.join("outside"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let allowed: Vec<PathBuf> = allowed.iter().map(|name| base.join(name)).collect();
        let workspace = Arc::new(Workspace::open(&root, &allowed).unwrap());
        Self { _temporary: temporary, root, outside, workspace }
    }

    /// One that keeps long output, and where.
    pub(crate) fn keeping() -> (Self, PathBuf) {
        let mut fixture = Self::new();
        let folder = Arc::get_mut(&mut fixture.workspace).unwrap().keep_output().unwrap().to_owned();
        (fixture, folder)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root.join(path)).unwrap()
    }

    pub(crate) fn content(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        crate::tools(&self.workspace).into_iter().find(|tool| &*tool.definition().name == name).unwrap()
    }

    pub(crate) async fn resolve(&self, tool: &str, arguments: Value) -> Box<dyn ResolvedTool> {
        let tool = self.tool(tool);
        tool.resolve(&valid(&tool.definition().parameters, arguments)).await.unwrap()
    }

    pub(crate) async fn run(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let output = self.resolve(tool, arguments).await.run(context()).await?;
        Ok(self.tool(tool).fit(output).await)
    }

    /// The text of the result; of the error if the tool gave none.
    pub(crate) async fn said(&self, tool: &str, arguments: Value) -> Result<String, String> {
        said(self.run(tool, arguments).await)
    }

    /// The only target, which is inside and there.
    pub(crate) fn inside(&self, given: &str, real: &str, access: Access) -> Vec<Target> {
        let resolution = Resolution::Resolved { path: self.root.join(real), location: Location::Inside, exists: true };
        vec![Target::Path { given: given.to_owned(), resolution, access }]
    }
}

pub(crate) fn valid(schema: &Value, arguments: Value) -> ValidArguments {
    ArgumentSchema::compile(schema).unwrap().validate(arguments).unwrap()
}

pub(crate) fn context() -> ToolContext<'static> {
    ToolContext { call_id: "call-1", abort: CancellationToken::new(), updates: Updates::none(), caller: &NoCalls }
}

/// A result as its text; an error, or a result that is one, as `Err`.
pub(crate) fn said(result: Result<ToolOutput, ToolError>) -> Result<String, String> {
    let output = result.map_err(|error| error.to_string())?;
    let text: String = output.content.iter().filter_map(|content| content.as_text()).collect();
    if output.is_error { Err(text) } else { Ok(text) }
}

/// Whether we may do everything, so that modes refuse nothing.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
