//! From loaded plugins to a session's hooks.

use std::sync::Arc;

use seam_harness::{Hook, HookBus};

use crate::instance::Instances;
use crate::link::Plugin;
use crate::seams::{RewriteToolCallHook, ToolCallHook, ToolResultHook};

/// The hooks of these plugins for one session, in the plugins' order. Each plugin gets instances of its own for it.
pub fn connect(plugins: &[Plugin]) -> HookBus {
    let mut bus = HookBus::default();
    for plugin in plugins {
        let instances = Arc::new(Instances::new(Arc::clone(&plugin.linked)));
        let indices = &plugin.linked.indices;
        if indices.rewrite_tool_call.is_some() {
            bus.rewrites.push(hook(plugin, Arc::new(RewriteToolCallHook(Arc::clone(&instances)))));
        }
        if indices.tool_call.is_some() {
            bus.gates.push(hook(plugin, Arc::new(ToolCallHook(Arc::clone(&instances)))));
        }
        if indices.tool_result.is_some() {
            bus.patches.push(hook(plugin, Arc::new(ToolResultHook(instances))));
        }
    }
    bus
}

fn hook<S: ?Sized>(plugin: &Plugin, seam: Arc<S>) -> Hook<S> {
    Hook { plugin: Arc::clone(&plugin.linked.shared.name), on_failure: plugin.on_failure(), seam }
}
