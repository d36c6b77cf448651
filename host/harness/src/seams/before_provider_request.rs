//! `before-provider-request`: headers and options of a request to a provider.

use async_trait::async_trait;
use seam_loop::provider::CheckOptions;
use seam_loop::{Header, Model};
use serde_json::{Map, Value};

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "before-provider-request";

/// How many changes a plugin may make, and how many headers and how many options there may be after them.
const MOST: usize = 256;
/// Options that say where a request goes and with which key: the host's own, whatever way they are written.
const HOSTS: [&str; 3] = ["baseurl", "apikey", "headers"];
/// Headers that say how the body is sent, and where: the host's own too.
const HOSTS_HEADERS: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request whose body is not made yet.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderRequest {
    /// The model.
    pub model: Model,
    /// The headers, without those that carry a key.
    pub headers: Vec<Header>,
    /// The options, by name.
    pub options: Map<String, Value>,
}

/// One change to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ProviderRequestChange {
    /// Without the header of this name.
    DeleteHeader(String),
    /// With this header.
    SetHeader(Header),
    /// Without the option of this name.
    DeleteOption(String),
    /// With this option.
    SetOption(String, Value),
}

/// `before-provider-request`: may change headers and options of a request.
#[async_trait]
pub trait BeforeProviderRequest: Send + Sync {
    /// What changes, in order.
    ///
    /// # Errors
    /// When there is no decision.
    async fn patch(&self, request: &ProviderRequest, at: &Moment) -> Result<Vec<ProviderRequestChange>, Failure>;
}

impl HookBus {
    /// Passes a request through all plugins; each sees what the one before left. Options that do not pass `check` are the
    /// failure of the plugin that set them.
    ///
    /// # Errors
    /// When a plugin failed that was not set to be skipped.
    pub async fn before_provider_request(
        &self,
        request: &mut ProviderRequest,
        check: CheckOptions<'_>,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<(), Refused> {
        request.headers.retain(|header| !header.is_secret());
        for hook in &self.before_provider_request {
            let changed = match hook.seam.patch(request, at).await {
                Ok(changes) => apply(changes, request.clone(), check),
                Err(failure) => Err(failure),
            };
            let Some((fields, changed)) = hook.answer(self.at(SEAM), changed, trail)? else { continue };
            *request = changed;
            match fields.is_empty() {
                true => hook.passes(SEAM, trail),
                false => hook.changes(SEAM, fields, trail),
            }
        }
        Ok(())
    }
}

/// Applies all changes, or none when one is not allowed.
fn apply(
    changes: Vec<ProviderRequestChange>,
    mut request: ProviderRequest,
    check_options: CheckOptions<'_>,
) -> Result<(Vec<&'static str>, ProviderRequest), Failure> {
    if changes.len() > MOST {
        return Err(Failure::InvalidAnswer(format!("it makes more than {MOST} changes")));
    }
    let mut fields = Vec::new();
    for change in changes {
        match change {
            ProviderRequestChange::DeleteHeader(name) => {
                check_host("deletes", &name)?;
                fields.push("headers");
                request.headers.retain(|header| !header.name.eq_ignore_ascii_case(&name));
            }
            ProviderRequestChange::SetHeader(header) => {
                check(&header)?;
                fields.push("headers");
                request.headers.retain(|other| !other.name.eq_ignore_ascii_case(&header.name));
                request.headers.push(header);
            }
            ProviderRequestChange::DeleteOption(name) => {
                fields.push("options");
                request.options.shift_remove(&name);
            }
            ProviderRequestChange::SetOption(name, value) => {
                check_option(&name)?;
                fields.push("options");
                request.options.insert(name, value);
            }
        }
    }
    if request.headers.len().max(request.options.len()) > MOST {
        return Err(Failure::InvalidAnswer(format!("it makes more than {MOST} headers or options")));
    }
    if fields.contains(&"options") {
        check_options(&request.options).map_err(Failure::InvalidAnswer)?;
    }
    Ok((fields, request))
}

/// A header must be one on the wire, and none that carries a key.
fn check(header: &Header) -> Result<(), Failure> {
    let named = !header.name.is_empty()
        && header.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    if !named || header.value.chars().any(|c| c != '\t' && c.is_control()) {
        return Err(Failure::InvalidAnswer("it sets a header that cannot be one".to_owned()));
    }
    let name = header.name.to_lowercase();
    match header.is_secret() {
        true => Err(Failure::InvalidAnswer(format!("it sets `{name}`, which carries a key"))),
        false => check_host("sets", &name),
    }
}

/// A header must not be one of the host's own.
fn check_host(does: &str, name: &str) -> Result<(), Failure> {
    match HOSTS_HEADERS.iter().find(|own| own.eq_ignore_ascii_case(name)) {
        Some(own) => Err(Failure::InvalidAnswer(format!("it {does} `{own}`, which is the host's"))),
        None => Ok(()),
    }
}

/// An option must not be one of the host's own.
fn check_option(name: &str) -> Result<(), Failure> {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    match HOSTS.iter().find(|own| **own == plain) {
        Some(own) => Err(Failure::InvalidAnswer(format!("it sets the option `{own}`, which is the host's"))),
        None => Ok(()),
    }
}
