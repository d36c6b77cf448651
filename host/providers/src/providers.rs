//! All providers there are: a request goes to the one that its model names.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Model, Provider, ProviderError, Request};

use crate::service::Service;
use crate::settings::ProviderSettings;
use crate::table::{Facts, MODELS, PROVIDERS};

/// A provider that cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`[providers.{provider}]` {what}")]
pub struct InvalidProvider {
    /// Its name.
    pub provider: String,
    /// What is wrong with it, and what to do.
    pub what: String,
}

/// All providers there are: those that are known, and those that are set.
#[derive(Debug)]
pub struct Providers {
    services: BTreeMap<String, Service>,
}

/// A model that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its provider and name.
    pub model: Model,
    /// What is known of it.
    pub facts: Facts,
}

impl Providers {
    /// The providers with these settings, by name. Nothing is read or sent yet.
    ///
    /// # Errors
    /// When one cannot be one.
    pub fn new(set: &BTreeMap<String, ProviderSettings>) -> Result<Self, InvalidProvider> {
        let names: BTreeSet<&String> = PROVIDERS.keys().chain(set.keys()).collect();
        let services = names.into_iter().map(|name| {
            let own = set.get(name).cloned().unwrap_or_default();
            let settings = own.over(PROVIDERS.get(name).cloned().unwrap_or_default());
            Ok((name.clone(), Service::new(name, settings)?))
        });
        Ok(Self { services: services.collect::<Result<_, _>>()? })
    }

    /// The same, which says this too where a key is missing.
    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        self.services.values_mut().for_each(|service| service.key_hint = format!(" {hint}"));
        self
    }

    /// Every variable that may hold a key of a provider that is known or set.
    pub fn key_variables(&self) -> BTreeSet<String> {
        let known = PROVIDERS.values().filter_map(|known| known.key_env.as_ref()).flatten();
        known.chain(self.services.values().flat_map(|service| service.keys.variables())).cloned().collect()
    }

    /// The keys that stand in these variables: they are to be hidden.
    pub fn set_keys(&self) -> Vec<String> {
        let values = self.key_variables().into_iter().filter_map(|name| std::env::var(name).ok());
        values.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
    }

    /// The names of those with a key: in a variable, or printed by a command.
    pub fn with_keys(&self) -> Vec<&str> {
        let has_key = |service: &&Service| service.keys.command().is_some() || service.keys.set().is_some();
        self.services.values().filter(has_key).map(|service| &*service.name).collect()
    }

    /// What a model is taken to be. None when there is no such provider.
    pub fn facts(&self, model: &Model) -> Option<Facts> {
        Some(self.services.get(&model.provider)?.facts(&model.id))
    }

    /// The models that are in the table or set, by provider and name.
    pub fn models(&self) -> Vec<Known> {
        let known = self.services.values().flat_map(|service| {
            let of_table = MODELS.get(&service.name).into_iter().flat_map(BTreeMap::keys);
            let names: BTreeSet<&String> = of_table.chain(service.set_models()).collect();
            names.into_iter().map(|id| Known {
                model: Model { provider: service.name.clone(), id: id.clone() },
                facts: service.facts(id),
            })
        });
        known.collect()
    }

    /// The service of a provider, if there is one of this name.
    pub(crate) fn find(&self, provider: &str) -> Option<&Service> {
        self.services.get(provider)
    }

    fn service(&self, name: &str) -> Result<&Service, ProviderError> {
        self.services.get(name).ok_or_else(|| {
            let there: Vec<&str> = self.services.keys().map(String::as_str).collect();
            ProviderError::new(format!(
                "there is no provider `{name}`. There are {}; for another one give its `protocol` and `base-url` under \
                 `[providers.{name}]` in seam.toml",
                there.join(", ")
            ))
        })
    }
}

#[async_trait]
impl Provider for Providers {
    fn names(&self) -> Vec<&str> {
        self.services.keys().map(String::as_str).collect()
    }

    fn window(&self, model: &Model) -> Option<u32> {
        self.facts(model).filter(|facts| facts.is_known).map(|facts| facts.window)
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        self.service(&request.model.provider)?.stream(request, abort).await
    }
}
