//! Whether a service can be reached with the key that there is: it is asked for the list of its models, which costs
//! nothing.

use std::time::Duration;

use reqwest::Url;
use seam_loop::Header;

use crate::address::is_here;
use crate::blame::Blame;
use crate::fault::{Class, Fault};
use crate::keys::Key;
use crate::providers::Providers;
use crate::service::Service;
use crate::transport;

/// How long it may take.
const LONGEST: Duration = Duration::from_secs(10);

/// Where a key of a provider would come from. Nothing was run or read to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySign {
    /// This variable is set.
    Variable(String),
    /// This program prints it.
    Command(String),
    /// None of these variables is set.
    Missing(Vec<String>),
    /// It needs none.
    NotNeeded,
}

/// A provider as it is known or set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Its address.
    pub base_url: String,
    /// Whether that is another machine, and what goes there is not encrypted.
    pub is_open: bool,
    /// Its key.
    pub key: KeySign,
}

/// Why a provider cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    /// What kind of trouble it is.
    pub trouble: Trouble,
    /// What happened. It holds no key.
    pub what: String,
    /// What can be done.
    pub todo: String,
}

/// What kind of trouble there is with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// There is no key, or none that can be one.
    NoKey,
    /// It does not take the key, or there is nothing left to pay with.
    Refused,
    /// It is not reached.
    NotReached,
    /// It answers, and not with a list of its models.
    Answered,
}

impl Providers {
    /// What is known of a provider. None when there is none of this name.
    pub fn about(&self, provider: &str) -> Option<About> {
        self.find(provider).map(Service::about)
    }

    /// Finds the key of a provider; a command that prints it is run. Gives in words where it comes from, and none when no
    /// key is needed.
    ///
    /// # Errors
    /// When there is none where one is needed.
    pub async fn find_key(&self, provider: &str) -> Result<Option<String>, Unasked> {
        let service = self.find(provider).ok_or_else(unknown)?;
        Ok(service.found_key().await?.map(|key| key.from))
    }

    /// Asks a provider for the list of its models, with its key. Gives the status of its answer.
    ///
    /// # Errors
    /// When it cannot be asked, or does not give the list.
    pub async fn probe(&self, provider: &str) -> Result<u16, Unasked> {
        self.find(provider).ok_or_else(unknown)?.probe().await
    }
}

impl Service {
    fn about(&self) -> About {
        let key = match (self.keys.command(), self.keys.set()) {
            (Some(program), _) => KeySign::Command(program.to_owned()),
            (None, Some((variable, _))) => KeySign::Variable(variable.to_owned()),
            (None, None) if self.keys.are_needed() => KeySign::Missing(self.keys.variables().to_vec()),
            (None, None) => KeySign::NotNeeded,
        };
        About { base_url: self.base_url.clone(), is_open: is_open(&self.base_url), key }
    }

    async fn found_key(&self) -> Result<Option<Key>, Unasked> {
        let no_key = |what: String| Unasked { trouble: Trouble::NoKey, what, todo: self.key_todo() };
        let key = self.keys.get().await.map_err(no_key)?;
        match key {
            None if self.keys.are_needed() => Err(no_key("there is no key".to_owned())),
            key => Ok(key),
        }
    }

    fn key_todo(&self) -> String {
        let at = self.keys_at.as_ref().map(|place| format!(". Keys are made at {place}")).unwrap_or_default();
        match self.keys.command() {
            Some(program) => format!(
                "Look what `{program}` prints, or correct `key-command` under `[providers.{}]`: it has to print the key \
                 and nothing else",
                self.name
            ),
            None => format!(
                "Set the variable {}, or `key-command` under `[providers.{}]` in your seam.toml{at}",
                self.keys.place(),
                self.name
            ),
        }
    }

    async fn probe(&self) -> Result<u16, Unasked> {
        let blame = self.blame("", self.found_key().await?);
        match self.list(&blame).await {
            Ok(status) => Ok(status),
            Err(fault) => Err(self.unasked(&fault, &blame)),
        }
    }

    async fn list(&self, blame: &Blame) -> Result<u16, Fault> {
        let wire = self.protocol.wire();
        let mut request = self.transport.client()?.get(format!("{}{}", self.base_url, wire.models_path()));
        let fixed = wire.headers("").iter().copied();
        let set = self.set_headers().iter().map(|Header { name, value }| (&**name, &**value));
        for (name, value) in fixed.filter(|(name, _)| !self.sets(name)).chain(set) {
            request = request.header(name, value);
        }
        let key = blame.key.as_ref().map(|key| wire.key_header(&key.value));
        if let Some((name, value)) = key.filter(|(name, _)| !self.sets(name)) {
            request = request.header(name, value);
        }
        let asked = async {
            let response = request.send().await.map_err(|error| transport::fault(&error))?;
            if !response.status().is_success() {
                return Err(transport::refused(response).await);
            }
            let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            match kind.starts_with("text/html") {
                true => Err(Fault::request("it answered with a page for people and not with a list of its models")),
                false => Ok(response.status().as_u16()),
            }
        };
        let silent = || Fault::network(format!("it did not answer within {} s", LONGEST.as_secs()));
        tokio::time::timeout(LONGEST, asked).await.unwrap_or_else(|_| Err(silent()))
    }

    fn sets(&self, header: &str) -> bool {
        self.set_headers().iter().any(|set| set.name.eq_ignore_ascii_case(header))
    }

    fn network_todo(&self) -> String {
        let first = if is_here(&self.base_url) { "it is started" } else { "this machine is online" };
        format!("Look whether {first}, and whether `base-url` under `[providers.{}]` is right", self.name)
    }

    fn unasked(&self, fault: &Fault, blame: &Blame) -> Unasked {
        let Self { base_url, name, .. } = self;
        let (said, todo) = blame.parts(fault);
        let what = match fault.status {
            Some(status) => format!("{base_url} answered {status}: {said}"),
            None => format!("{base_url}: {said}"),
        };
        let (trouble, todo) = match fault.class {
            Class::Key | Class::Credit => (Trouble::Refused, todo),
            Class::Certificate => (Trouble::NotReached, todo),
            Class::Network => (Trouble::NotReached, self.network_todo()),
            _ if fault.status.is_none() && said.starts_with("the `ca-file`") => {
                (Trouble::NotReached, format!("Correct `ca-file` under `[providers.{name}]`"))
            }
            Class::Busy | Class::Service | Class::Overflow => (Trouble::Answered, "Try it again later".to_owned()),
            Class::Model | Class::Stream | Class::Refusal | Class::Request => (
                Trouble::Answered,
                format!(
                    "If runs fail too, look whether `base-url` under `[providers.{name}]` is right. Some services list no \
                     models"
                ),
            ),
        };
        Unasked { trouble, what, todo }
    }
}

/// Whether everybody on the way can read what goes there.
fn is_open(base_url: &str) -> bool {
    Url::parse(base_url).is_ok_and(|url| url.scheme() == "http") && !is_here(base_url)
}

/// Names come from [`Providers`] itself, so nobody should see it.
fn unknown() -> Unasked {
    Unasked {
        trouble: Trouble::NotReached,
        what: "there is no such provider".to_owned(),
        todo: "Correct its name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::TcpListener;

    use super::{Trouble, Unasked, is_open};
    use crate::{Protocol, ProviderSettings, Providers};

    #[tokio::test(start_paused = true)]
    async fn a_service_that_says_nothing_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let settings = ProviderSettings {
            protocol: Some(Protocol::OpenaiChat),
            base_url: Some(url.clone()),
            ..ProviderSettings::default()
        };
        let providers = Providers::new(&BTreeMap::from([("own".to_owned(), settings)])).unwrap();
        let Unasked { trouble, what, todo } = providers.probe("own").await.unwrap_err();
        assert_eq!((trouble, what), (Trouble::NotReached, format!("{url}: it did not answer within 10 s")));
        assert_eq!(todo, "Look whether it is started, and whether `base-url` under `[providers.own]` is right");
    }

    #[test]
    fn only_what_goes_to_another_machine_in_plain_text_is_open() {
        for open in ["http://10.0.0.7:8000/v1", "http://models.example/v1", "http://[fe80::1]/v1", "HTTP://0.0.0.0/v1"]
        {
            assert!(is_open(open), "{open}");
        }
        for closed in ["https://models.example", "http://127.0.0.1:1", "http://[::1]/v1", "http://localhost:11434/v1"] {
            assert!(!is_open(closed), "{closed}");
        }
    }
}
