//! The providers that a run may ask: whether there is a key, and whether they are reached with it.

use std::sync::Arc;

use seam_loop::Provider as _;
use seam_providers::{About, KeySign, Providers, Trouble, Unasked};
use tokio::task::JoinSet;

use super::Check;
use crate::config::Config;
use crate::wanted::Wanted;

/// The variables that name a proxy.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// How they are looked at.
pub(super) struct Way {
    pub(super) offline: bool,
    /// Whether the user agreed to the settings: by them a key may go anywhere.
    pub(super) is_agreed: bool,
    pub(super) chosen: Option<Wanted>,
}

/// A provider to look at.
struct Look {
    name: String,
    about: About,
    /// Whether a fault of it is one of the run that would begin now.
    matters: bool,
    is_chosen: bool,
}

/// All that have a key, are set, or are chosen, at once; and the proxies on the way to them.
pub(super) async fn checks(providers: &Arc<Providers>, config: &Config, way: &Way) -> Vec<Check> {
    let chosen = way.chosen.as_ref().map(|wanted| &*wanted.model.provider);
    let looks = providers.names().into_iter().filter_map(|name| {
        let about = providers.about(name)?;
        let is_chosen = chosen == Some(name);
        let has_key = matches!(about.key, KeySign::Variable(_) | KeySign::Command(_));
        (has_key || is_chosen || config.providers.contains_key(name)).then(|| Look {
            name: name.to_owned(),
            about,
            matters: chosen.is_none() || is_chosen,
            is_chosen,
        })
    });
    let looks: Vec<Look> = looks.collect();
    if looks.is_empty() {
        let todo = "Set the variable of one of them; `seam models` says which variable that is";
        return vec![Check::note("providers", "there is no key for any of them", todo)];
    }
    let mut running = JoinSet::new();
    for (place, look) in looks.into_iter().enumerate() {
        let (providers, offline, is_agreed) = (Arc::clone(providers), way.offline, way.is_agreed);
        running.spawn(async move { (place, look.checks(&providers, offline, is_agreed).await) });
    }
    let mut found: Vec<(usize, Vec<Check>)> = Vec::new();
    while let Some(done) = running.join_next().await {
        found.extend(done);
    }
    found.sort_by_key(|(place, _)| *place);
    proxies().into_iter().filter(|_| !way.offline).chain(found.into_iter().flat_map(|(_, checks)| checks)).collect()
}

impl Look {
    async fn checks(&self, providers: &Providers, offline: bool, is_agreed: bool) -> Vec<Check> {
        let url = &self.about.base_url;
        let has_key = matches!(self.about.key, KeySign::Variable(_) | KeySign::Command(_));
        let in_the_open = (has_key && self.about.is_open).then(|| {
            let found = format!("the key goes to {url} without encryption, and that is another machine");
            let todo = format!("Give an address with `https://` as `base-url` under `[providers.{}]`", self.name);
            Check::note(&self.name, found, todo)
        });
        [self.state(providers, offline, is_agreed).await].into_iter().chain(in_the_open).collect()
    }

    async fn state(&self, providers: &Providers, offline: bool, is_agreed: bool) -> Check {
        let Self { name, about, .. } = self;
        if !is_agreed {
            let key = sign(&about.key);
            return Check::note(name, format!("{key}; not asked"), "Agree to the settings first: `seam trust`");
        }
        let key = match providers.find_key(name).await {
            Ok(Some(from)) => format!("{from} has a key"),
            Ok(None) => "no key is needed".to_owned(),
            Err(Unasked { what, todo, .. }) => return Check::fault_if(self.is_chosen, name, what, todo),
        };
        if offline {
            return Check::ok(name, format!("{key}; {} is not asked (`--offline`)", about.base_url));
        }
        match providers.probe(name).await {
            Ok(status) => Check::ok(name, format!("{key}; {} is reached (it answered {status})", about.base_url)),
            Err(unasked) => self.unasked(&key, unasked),
        }
    }

    fn unasked(&self, key: &str, Unasked { trouble, what, todo }: Unasked) -> Check {
        let name = &self.name;
        match trouble {
            Trouble::NoKey => Check::fault_if(self.is_chosen, name, what, todo),
            Trouble::Refused => Check::fault_if(self.matters, name, format!("the key is refused: {what}"), todo),
            Trouble::NotReached => {
                let proxies = set_proxies();
                let names: Vec<String> = proxies.iter().map(|(name, _)| format!("`{name}`")).collect();
                let todo = match names.is_empty() {
                    true => todo,
                    false => format!("{todo}, and the proxy that {} names", names.join(" or ")),
                };
                Check::fault_if(self.matters, name, format!("{key}; not reached: {what}"), todo)
            }
            Trouble::Answered => Check::note(name, format!("{key}; reached, but {what}"), todo),
        }
    }
}

/// Where a key would come from: nothing is run to find out.
fn sign(key: &KeySign) -> String {
    match key {
        KeySign::Variable(name) => format!("`{name}` has a key"),
        KeySign::Command(program) => format!("the command `{program}` was not run"),
        KeySign::Missing(_) => "there is no key".to_owned(),
        KeySign::NotNeeded => "no key is needed".to_owned(),
    }
}

/// The proxies that the environment names, if it does.
fn proxies() -> Option<Check> {
    let set: Vec<String> = set_proxies().iter().map(|(name, value)| format!("`{name}` ({})", place(value))).collect();
    let exceptions = ["NO_PROXY", "no_proxy"].into_iter().find(|name| std::env::var_os(name).is_some());
    let exceptions = exceptions.map(|name| format!("; `{name}` makes exceptions")).unwrap_or_default();
    let found = format!("requests go through what is set in {}{exceptions}", set.join(", "));
    (!set.is_empty()).then(|| Check::ok("proxy", found))
}

fn set_proxies() -> Vec<(&'static str, String)> {
    let set = |name| Some((name, std::env::var(name).ok().filter(|value| !value.is_empty())?));
    PROXIES.into_iter().filter_map(set).collect()
}

/// The address without what lets one in there.
fn place(proxy: &str) -> &str {
    let address = proxy.split_once("://").map_or(proxy, |(_, address)| address);
    address.rsplit_once('@').map_or(address, |(_, place)| place)
}
