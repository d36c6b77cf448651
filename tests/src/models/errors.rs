//! How services refuse: status, headers and body of each trouble, and the events of one in the middle of a stream.

use serde_json::{Value, json};

use super::plan::Plan;
use super::sse::{Event, Mark};
use super::{Protocol, responses};

/// The id that services give to a request.
pub const REQUEST_ID: &str = "req_011CbrFTcXhtiMzr3s6EocF7";

/// Why a service does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The key is none of its keys.
    WrongKey,
    /// The account has no money.
    NoCredit,
    /// It has no such model.
    NoSuchModel,
    /// The conversation is too long for the model.
    Overflow,
    /// The request has too many bytes.
    TooLarge,
    /// Too many requests or tokens a minute.
    RateLimited,
    /// It failed.
    Internal,
    /// Something before it failed.
    Unavailable,
    /// It has too much to do.
    Overloaded,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::WrongKey,
        Self::NoCredit,
        Self::NoSuchModel,
        Self::Overflow,
        Self::TooLarge,
        Self::RateLimited,
        Self::Internal,
        Self::Unavailable,
        Self::Overloaded,
    ];
}

/// The answer to a request in such trouble.
pub fn refused(protocol: Protocol, trouble: Trouble) -> Plan {
    let plan = match (protocol, trouble) {
        (Protocol::Anthropic, Trouble::Unavailable) => page(502, "Bad Gateway"),
        (Protocol::Chat | Protocol::Responses, Trouble::TooLarge) => page(413, "Request Entity Too Large"),
        (Protocol::Anthropic, _) => json_plan(anthropic(trouble).0, &anthropic_body(trouble)),
        (Protocol::Chat | Protocol::Responses, _) => {
            json_plan(openai(protocol, trouble).0, &openai_body(protocol, trouble))
        }
        (Protocol::Gemini, _) => json_plan(google(trouble).0, &google_body(trouble)),
    };
    let plan = plan.serviced(protocol);
    match (protocol, trouble) {
        (Protocol::Anthropic, Trouble::RateLimited) => plan
            .header("retry-after", "3")
            .header("x-should-retry", "true")
            .header("anthropic-ratelimit-tokens-remaining", "0")
            .header("anthropic-ratelimit-input-tokens-remaining", "0")
            .header("anthropic-ratelimit-input-tokens-reset", "2026-03-12T19:55:17Z"),
        (Protocol::Anthropic, Trouble::Overloaded) => plan.header("x-should-retry", "true"),
        (Protocol::Chat | Protocol::Responses, Trouble::RateLimited) => plan
            .header("retry-after", "3")
            .header("retry-after-ms", "2500")
            .header("x-ratelimit-remaining-tokens", "0")
            .header("x-ratelimit-reset-tokens", "2.5s"),
        _ => plan,
    }
}

/// The events of such trouble in the middle of a stream, after so many others.
pub fn events(protocol: Protocol, trouble: Trouble, number: usize) -> Vec<Event> {
    match protocol {
        Protocol::Anthropic => vec![Event::typed(Mark::Other, &anthropic_body(trouble))],
        Protocol::Chat => vec![Event::json(Mark::Other, &openai_body(protocol, trouble))],
        Protocol::Gemini => vec![Event::json(Mark::Other, &google_body(trouble))],
        Protocol::Responses => {
            let error = openai_body(protocol, trouble)["error"].take();
            let mut failed = responses::response("failed", &[], None);
            let code = if error["code"].is_null() { &error["type"] } else { &error["code"] };
            failed["error"] = json!({ "code": code, "message": error["message"] });
            let first = json!({ "type": "error", "error": error, "sequence_number": number });
            let then = json!({ "type": "response.failed", "response": failed, "sequence_number": number + 1 });
            vec![Event::typed(Mark::Other, &first), Event::typed(Mark::Other, &then)]
        }
    }
}

/// A JSON answer.
pub(super) fn json_plan(status: u16, body: &Value) -> Plan {
    // Google writes its errors over several lines.
    Plan::plain(status, "application/json", &serde_json::to_string_pretty(body).expect("JSON is written"))
}

/// The page of a proxy before the service.
pub(super) fn page(status: u16, title: &str) -> Plan {
    let body = format!(
        "<html>\r\n<head><title>{status} {title}</title></head>\r\n<body>\r\n\
         <center><h1>{status} {title}</h1></center>\r\n\
         <hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"
    );
    Plan::plain(status, "text/html", &body)
}

fn anthropic(trouble: Trouble) -> (u16, &'static str, &'static str) {
    let credit = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade \
                  or purchase credits.";
    let rate = "This request would exceed your account's rate limit. Please try again later.";
    match trouble {
        Trouble::WrongKey => (401, "authentication_error", "invalid x-api-key"),
        Trouble::NoCredit => (400, "invalid_request_error", credit),
        Trouble::NoSuchModel => (404, "not_found_error", "model: claude-nonsense"),
        Trouble::Overflow => (400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
        Trouble::TooLarge => (413, "request_too_large", "Request exceeds the maximum size"),
        Trouble::RateLimited => (429, "rate_limit_error", rate),
        Trouble::Internal | Trouble::Unavailable => (500, "api_error", "Internal server error"),
        Trouble::Overloaded => (529, "overloaded_error", "Overloaded"),
    }
}

fn anthropic_body(trouble: Trouble) -> Value {
    let (_, kind, message) = anthropic(trouble);
    anthropic_error(kind, message)
}

pub(super) fn anthropic_error(kind: &str, message: &str) -> Value {
    let error = json!({ "details": null, "type": kind, "message": message });
    json!({ "type": "error", "error": error, "request_id": REQUEST_ID })
}

type OpenAi = (u16, &'static str, Option<&'static str>, Option<&'static str>, &'static str);

/// Status, type, param, code, message.
fn openai(protocol: Protocol, trouble: Trouble) -> OpenAi {
    let invalid = "invalid_request_error";
    let responses = protocol == Protocol::Responses;
    match trouble {
        Trouble::WrongKey => (
            401,
            invalid,
            None,
            Some("invalid_api_key"),
            "Incorrect API key provided: sk-wrong******\
            ******cdef. You can find your API key at https://platform.openai.com/account/api-keys.",
        ),
        Trouble::NoCredit => (
            429,
            "insufficient_quota",
            None,
            Some("insufficient_quota"),
            "You exceeded your current \
            quota, please check your plan and billing details. For more information on this error, read the docs: \
            https://platform.openai.com/docs/guides/error-codes/api-errors.",
        ),
        Trouble::NoSuchModel if responses => (
            400,
            invalid,
            Some("model"),
            Some("model_not_found"),
            "The requested \
            model 'gpt-nonsense' does not exist.",
        ),
        Trouble::NoSuchModel => (
            404,
            invalid,
            None,
            Some("model_not_found"),
            "The model `gpt-nonsense` does not exist \
            or you do not have access to it.",
        ),
        Trouble::Overflow if responses => (
            400,
            invalid,
            Some("input"),
            Some("context_length_exceeded"),
            "Your input \
            exceeds the context window of this model. Please adjust your input and try again.",
        ),
        Trouble::Overflow | Trouble::TooLarge => (
            400,
            invalid,
            Some("messages"),
            Some("context_length_exceeded"),
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 150012 tokens. \
            Please reduce the length of the messages.",
        ),
        Trouble::RateLimited => (
            429,
            "tokens",
            None,
            Some("rate_limit_exceeded"),
            "Rate limit reached for gpt-4.1 in \
            organization org-3xMpl on tokens per min (TPM): Limit 30000, Used 28750, Requested 2500. Please try again \
            in 2.5s. Visit https://platform.openai.com/account/rate-limits to learn more.",
        ),
        Trouble::Internal => (
            500,
            "server_error",
            None,
            None,
            "The server had an error while processing your \
            request. Sorry about that!",
        ),
        Trouble::Unavailable | Trouble::Overloaded => (
            503,
            "service_unavailable_error",
            None,
            Some("server_is_overloaded"),
            "Our servers are currently overloaded. Please try again later.",
        ),
    }
}

fn openai_body(protocol: Protocol, trouble: Trouble) -> Value {
    let (_, kind, param, code, message) = openai(protocol, trouble);
    openai_error(kind, param, code, message)
}

pub(super) fn openai_error(kind: &str, param: Option<&str>, code: Option<&str>, message: &str) -> Value {
    json!({ "error": { "message": message, "type": kind, "param": param, "code": code } })
}

fn google(trouble: Trouble) -> (u16, &'static str, &'static str) {
    match trouble {
        Trouble::WrongKey => (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        Trouble::NoCredit => (
            403,
            "PERMISSION_DENIED",
            "This API method requires billing to be enabled. Please enable \
            billing on project #528187219840 by visiting \
            https://console.developers.google.com/billing/enable?project=528187219840 then retry.",
        ),
        Trouble::NoSuchModel => (
            404,
            "NOT_FOUND",
            "models/gemini-nonsense is not found for API version v1beta, or is \
            not supported for generateContent. Call ListModels to see the list of available models and their supported \
            methods.",
        ),
        Trouble::Overflow => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200293) exceeds the maximum number of \
            tokens allowed (1048576).",
        ),
        Trouble::TooLarge => (400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
        Trouble::RateLimited => (
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan \
            and billing details. For more information on this error, head to: \
            https://ai.google.dev/gemini-api/docs/rate-limits. \n* Quota exceeded for metric: \
            generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 5, model: gemini-2.5-flash\n\
            Please retry in 2.5s.",
        ),
        Trouble::Internal => (
            500,
            "INTERNAL",
            "An internal error has occurred. Please retry or report in \
            https://developers.generativeai.google/guide/troubleshooting",
        ),
        Trouble::Unavailable | Trouble::Overloaded => (
            503,
            "UNAVAILABLE",
            "The model is overloaded. Please try again \
            later.",
        ),
    }
}

fn google_body(trouble: Trouble) -> Value {
    let (code, status, message) = google(trouble);
    let info = |reason: &str| {
        let metadata = json!({ "service": "generativelanguage.googleapis.com" });
        json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": reason,
            "domain": "googleapis.com",
            "metadata": metadata,
        })
    };
    let details = match trouble {
        Trouble::WrongKey => json!([info("API_KEY_INVALID")]),
        Trouble::NoCredit => json!([info("BILLING_DISABLED")]),
        Trouble::RateLimited => json!([
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{
                "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                "quotaDimensions": { "location": "global", "model": "gemini-2.5-flash" },
                "quotaValue": "5",
            }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s" },
        ]),
        _ => Value::Null,
    };
    google_error(code, status, message, details)
}

pub(super) fn google_error(code: u16, status: &str, message: &str, details: Value) -> Value {
    let mut error = json!({ "code": code, "message": message, "status": status });
    if !details.is_null() {
        error["details"] = details;
    }
    json!({ "error": error })
}
