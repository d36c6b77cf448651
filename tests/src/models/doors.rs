//! What services say before they look at a body: the list of their models; and no to a wrong path or method, no key or a
//! wrong one, no version.

use serde_json::{Value, json};

use super::Protocol;
use super::errors::{Trouble, anthropic_error, google_error, json_plan, openai_error, page, refused};
use super::plan::Plan;
use super::server::Recorded;

/// The list of models, if it is asked for, and may be.
pub(super) fn lists(request: &Recorded, key: Option<&str>) -> Option<Plan> {
    let protocol = match &*request.path {
        "/v1beta/models" => Protocol::Gemini,
        "/v1/models" if request.header("anthropic-version").is_some() => Protocol::Anthropic,
        "/v1/models" => Protocol::Chat,
        _ => return None,
    };
    let list = match protocol {
        Protocol::Gemini => json!({ "models": [{ "name": format!("models/{}", protocol.model()) }] }),
        _ => json!({ "data": [{ "id": protocol.model() }] }),
    };
    let refused = key.and_then(|key| wrong_key(protocol, request, key));
    (request.method == "GET").then(|| refused.unwrap_or_else(|| json_plan(200, &list).serviced(protocol)))
}

/// The refusal, if there is one.
pub(super) fn refuses(request: &Recorded, key: Option<&str>) -> Option<Plan> {
    let Some(protocol) = request.protocol else { return Some(no_such_path(request)) };
    if request.method != "POST" {
        return Some(wrong_method(protocol, request));
    }
    if let Some(refused) = key.and_then(|key| wrong_key(protocol, request, key)) {
        return Some(refused);
    }
    let versioned = protocol != Protocol::Anthropic || request.header("anthropic-version").is_some();
    let body = anthropic_error("invalid_request_error", "anthropic-version: header is required");
    (!versioned).then(|| json_plan(400, &body).serviced(protocol))
}

fn no_such_path(request: &Recorded) -> Plan {
    if request.path.starts_with("/v1beta") {
        return page(404, "Not Found");
    }
    if request.header("anthropic-version").is_some() {
        return json_plan(404, &anthropic_error("not_found_error", "Not Found")).serviced(Protocol::Anthropic);
    }
    let message = format!(
        "Unknown request URL: {} {}. Please check the URL for typos, or see the docs at \
         https://platform.openai.com/docs/api-reference/.",
        request.method, request.path
    );
    let body = openai_error("invalid_request_error", None, Some("unknown_url"), &message);
    json_plan(404, &body).serviced(Protocol::Chat)
}

fn wrong_method(protocol: Protocol, request: &Recorded) -> Plan {
    let plan = match protocol {
        Protocol::Anthropic => json_plan(405, &anthropic_error("invalid_request_error", "Method Not Allowed")),
        Protocol::Gemini => page(404, "Not Found"),
        Protocol::Chat | Protocol::Responses => {
            let message = format!(
                "Not allowed to {} on {}. (HINT: Perhaps you meant to make a POST request?)",
                request.method, request.path
            );
            json_plan(405, &openai_error("invalid_request_error", None, Some("method_not_supported"), &message))
        }
    };
    plan.serviced(protocol)
}

fn wrong_key(protocol: Protocol, request: &Recorded, key: &str) -> Option<Plan> {
    let given = match protocol {
        Protocol::Anthropic => request.header("x-api-key"),
        Protocol::Gemini => request.header("x-goog-api-key"),
        Protocol::Chat | Protocol::Responses => {
            request.header("authorization").and_then(|header| header.strip_prefix("Bearer "))
        }
    };
    match given {
        Some(given) if given == key => None,
        Some(given) if matches!(protocol, Protocol::Chat | Protocol::Responses) => Some(incorrect(protocol, given)),
        Some(_) => Some(refused(protocol, Trouble::WrongKey)),
        None => Some(no_key(protocol)),
    }
}

/// OpenAI says which key it was, as far as it may be said.
fn incorrect(protocol: Protocol, given: &str) -> Plan {
    let characters: Vec<char> = given.chars().collect();
    let end = characters.len().saturating_sub(4);
    let shown = |(place, character): (usize, &char)| if place < 8 || place >= end { *character } else { '*' };
    let shown: String = characters.iter().enumerate().map(shown).collect();
    let message = format!(
        "Incorrect API key provided: {shown}. You can find your API key at \
         https://platform.openai.com/account/api-keys."
    );
    let body = openai_error("invalid_request_error", None, Some("invalid_api_key"), &message);
    json_plan(401, &body).serviced(protocol)
}

fn no_key(protocol: Protocol) -> Plan {
    let plan = match protocol {
        Protocol::Anthropic => json_plan(401, &anthropic_error("authentication_error", "x-api-key header is required")),
        Protocol::Chat | Protocol::Responses => {
            let message = "You didn't provide an API key. You need to provide your API key in an Authorization header \
                           using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from \
                           https://platform.openai.com/account/api-keys.";
            json_plan(401, &openai_error("invalid_request_error", None, None, message))
        }
        Protocol::Gemini => {
            let message = "Method doesn't allow unregistered callers (callers without established identity). Please \
                           use API Key or other form of API consumer identity to call this API.";
            json_plan(403, &google_error(403, "PERMISSION_DENIED", message, Value::Null))
        }
    };
    plan.serviced(protocol)
}
