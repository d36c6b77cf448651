//! `before-provider-request`: headers and options of a request.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{BeforeProviderRequest, ProviderRequest, ProviderRequestChange};
use seam_harness::{Failure, Moment};
use seam_loop::Header;

use crate::bindings::exports::seam::harness::before_provider_request as wit;
use crate::bindings::seam::harness::types::HeaderParam;
use crate::convert::json;
use crate::convert::model::model;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl BeforeProviderRequest for Asked {
    async fn patch(&self, request: &ProviderRequest, at: &Moment) -> Result<Vec<ProviderRequestChange>, Failure> {
        let headers: Vec<HeaderParam<'_>> =
            request.headers.iter().map(|header| HeaderParam { name: &header.name, value: &header.value }).collect();
        let texts: Vec<(&str, String)> =
            request.options.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
        let options: Vec<_> = texts.iter().map(|(name, value)| wit::OptionValueParam { name, value }).collect();
        let event =
            wit::Event { session: at.session(), model: model(&request.model), headers: &headers, options: &options };
        let changes = ask!(&self.0, before_provider_request.call_patch(event), at at, returning 0)?;
        changes.into_iter().map(change).collect()
    }
}

fn change(change: wit::Change) -> Result<ProviderRequestChange, Failure> {
    Ok(match change {
        wit::Change::DeleteHeader(name) => ProviderRequestChange::DeleteHeader(name),
        wit::Change::SetHeader(header) => {
            ProviderRequestChange::SetHeader(Header { name: header.name, value: header.value })
        }
        wit::Change::DeleteOption(name) => ProviderRequestChange::DeleteOption(name),
        wit::Change::SetOption(option) => {
            ProviderRequestChange::SetOption(option.name, json("the value of an option", &option.value)?)
        }
    })
}
