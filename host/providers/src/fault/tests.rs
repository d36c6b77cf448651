//! What services say when they do not answer, what is made of it, and what a person reads.

mod overflows;

use insta::assert_snapshot;
use serde_json::json;

use super::*;

/// A service that refuses.
struct Refusal {
    status: u16,
    body: String,
}

fn refused(status: u16, body: impl Into<String>) -> Refusal {
    Refusal { status, body: body.into() }
}

fn json(status: u16, body: Value) -> Refusal {
    refused(status, body.to_string())
}

/// The page of a proxy.
fn page(status: u16, title: &str) -> Refusal {
    refused(
        status,
        format!("<html>\r\n<head><title>{title}</title></head>\r\n<body><h1>{title}</h1></body>\r\n</html>"),
    )
}

fn who() -> Who<'static> {
    Who {
        provider: "p",
        model: "m-1",
        key: Some("`P_KEY`".to_owned()),
        keys_at: Some("https://p.example/keys"),
        base_url: "https://p.example/v1",
    }
}

impl Refusal {
    fn fault(&self) -> Fault {
        Fault::of_status(self.status, None, &self.body)
    }

    /// What a person reads.
    fn told(&self) -> String {
        self.fault().told(&who()).text
    }
}

fn anthropic(status: u16, kind: &str, message: &str) -> Refusal {
    json(status, json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" }))
}

fn openai(status: u16, kind: &str, code: Value, message: &str) -> Refusal {
    json(status, json!({ "error": { "message": message, "type": kind, "param": null, "code": code } }))
}

fn google(status: u16, name: &str, message: &str) -> Refusal {
    json(status, json!({ "error": { "code": status, "message": message, "status": name } }))
}

fn classes(refusals: &[Refusal]) -> Vec<Class> {
    refusals.iter().map(|refusal| refusal.fault().class).collect()
}

/// All of them are of this class, and none of them is asked again.
fn all_are(class: Class, refusals: &[Refusal]) {
    for refusal in refusals {
        let fault = refusal.fault();
        assert_eq!((fault.class, fault.kind), (class, ErrorKind::Other), "{}", refusal.body);
    }
}

#[test]
fn a_wrong_key() {
    let all = [
        anthropic(401, "authentication_error", "invalid x-api-key"),
        anthropic(403, "permission_error", "Your API key does not have permission to use the specified resource."),
        openai(401, "invalid_request_error", json!("invalid_api_key"), "Incorrect API key provided: sk-w***cdef."),
        google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."),
        google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."),
        // xAI
        json(
            400,
            json!({ "code": "Client specified an invalid argument", "error":
            "Incorrect API key provided: gs***tF. You can obtain an API key from https://console.x.ai." }),
        ),
        // Mistral, OpenRouter, DeepSeek, vLLM
        json(401, json!({ "message": "Unauthorized", "request_id": "1" })),
        json(401, json!({ "error": { "message": "User not found.", "code": 401 } })),
        openai(401, "authentication_error", json!("invalid_request_error"), "Authentication Fails (no such user)"),
        json(401, json!({ "error": "Unauthorized" })),
        refused(401, ""),
        // LiteLLM without a database
        openai(400, "no_db_connection", json!("400"), "No connected db."),
    ];
    all_are(Class::Key, &all);
    assert_snapshot!(all[0].told(), @"p answered 401: invalid x-api-key. Look whether `P_KEY` is a valid key for it (keys are made at https://p.example/keys)");
    assert_snapshot!(all[3].told(), @"p answered 400: API key not valid. Please pass a valid API key. Look whether `P_KEY` is a valid key for it (keys are made at https://p.example/keys)");
    assert_snapshot!(all[11].told(), @"p answered 401: no reason was given. Look whether `P_KEY` is a valid key for it (keys are made at https://p.example/keys)");
}

#[test]
fn nothing_to_pay_with() {
    let all = [
        anthropic(
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or \
             purchase credits.",
        ),
        anthropic(
            400,
            "invalid_request_error",
            "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        ),
        openai(429, "insufficient_quota", json!("insufficient_quota"), "You exceeded your current quota."),
        openai(429, "billing_not_active", json!("billing_not_active"), "Your account is not active."),
        google(403, "PERMISSION_DENIED", "This API method requires billing to be enabled."),
        // OpenRouter, DeepSeek, Together
        json(402, json!({ "error": { "code": 402, "message": "This request requires more credits" } })),
        openai(402, "unknown_error", json!("invalid_request_error"), "Insufficient Balance"),
        refused(402, ""),
        // xAI
        json(
            403,
            json!({ "code": "The caller does not have permission to execute the specified operation", "error":
            "Your newly created team doesn't have any credits yet." }),
        ),
        json(429, json!({ "error": "Your team has either used all available credits or reached its spending limit." })),
        // Fireworks
        openai(
            412,
            "error",
            json!("PRECONDITION_FAILED"),
            "Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay.",
        ),
    ];
    all_are(Class::Credit, &all);
    assert_snapshot!(all[0].told(), @"p answered 400: Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits. Look at the account that `P_KEY` belongs to (keys are made at https://p.example/keys), or choose another model");
    assert_snapshot!(all[10].told(), @"p answered 412: Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay. Look at the account that `P_KEY` belongs to (keys are made at https://p.example/keys), or choose another model");
}

#[test]
fn no_such_model_or_no_such_address() {
    let all = [
        anthropic(404, "not_found_error", "model: claude-nonsense"),
        openai(404, "invalid_request_error", json!("model_not_found"), "The model `x` does not exist."),
        openai(400, "invalid_request_error", json!("model_not_found"), "The requested model 'x' does not exist."),
        google(404, "NOT_FOUND", "models/x is not found for API version v1beta."),
        // Mistral, OpenRouter, DeepSeek, Ollama
        json(400, json!({ "object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500" })),
        json(400, json!({ "error": { "message": "x is not a valid model ID", "code": 400 } })),
        openai(400, "invalid_request_error", json!("invalid_request_error"), "Model Not Exist"),
        openai(404, "api_error", Value::Null, "model \"x\" not found, try pulling it first"),
        json(404, json!({ "detail": "Not Found" })),
        page(404, "404 Not Found"),
        refused(404, "404 page not found"),
    ];
    all_are(Class::Model, &all);
    assert_snapshot!(all[0].told(), @"p answered 404: model: claude-nonsense. Look whether it has the model `m-1` (`seam models p` lists those that are known), and whether `base-url` is right (https://p.example/v1)");
    assert_snapshot!(all[9].told(), @r#"p answered 404: a page for people, "404 Not Found". Look whether it has the model `m-1` (`seam models p` lists those that are known), and whether `base-url` is right (https://p.example/v1)"#);
}

#[test]
fn who_is_busy_or_failed_is_asked_again() {
    let busy = [
        anthropic(429, "rate_limit_error", "This request would exceed your account's rate limit."),
        anthropic(529, "overloaded_error", "Overloaded"),
        openai(429, "tokens", json!("rate_limit_exceeded"), "Rate limit reached for gpt-4.1 on tokens per min."),
        openai(503, "service_unavailable_error", json!("server_is_overloaded"), "Our servers are overloaded."),
        google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing."),
        // Groq
        openai(413, "tokens", json!("rate_limit_exceeded"), "Request too large on tokens per minute, reduce it."),
        refused(429, ""),
        page(503, "503 Service Unavailable"),
    ];
    let failed = [
        anthropic(500, "api_error", "Internal server error"),
        openai(500, "server_error", Value::Null, "The server had an error while processing your request."),
        google(500, "INTERNAL", "An internal error has occurred."),
        google(504, "DEADLINE_EXCEEDED", "The service is unable to finish processing within the deadline."),
        page(502, "502 Bad Gateway"),
        refused(520, "error code: 520"),
        refused(500, ""),
    ];
    assert_eq!(classes(&busy), [Class::Busy; 9]);
    assert_eq!(classes(&failed), [Class::Service; 7]);
    for refusal in busy.iter().chain(&failed) {
        assert_eq!(refusal.fault().kind, TRANSIENT, "{}", refusal.body);
    }
    assert_snapshot!(busy[1].told(), @"p answered 529: Overloaded");
    assert_snapshot!(failed[4].told(), @r#"p answered 502: a page for people, "502 Bad Gateway""#);
    assert_snapshot!(failed[6].told(), @"p answered 500: no reason was given");
}

#[test]
fn what_is_refused_for_other_reasons_is_told_and_not_asked_again() {
    let all = [
        // Words of the request are no reason.
        anthropic(400, "invalid_request_error", "tools.0.custom.name: `internal timeout unavailable` is no name"),
        openai(400, "invalid_request_error", Value::Null, "Unsupported value: 'temperature' is overloaded."),
        openai(400, "invalid_request_error", json!("unsupported_parameter"), "max_tokens is not supported."),
        google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes after a user turn."),
        json(422, json!({ "detail": [{ "loc": ["body", "tools"], "msg": "field required" }] })),
        refused(400, ""),
        refused(400, "{}"),
        refused(400, "null"),
        refused(400, "[]"),
    ];
    all_are(Class::Request, &all);
    assert_snapshot!(all[2].told(), @"p answered 400: max_tokens is not supported");
    assert_snapshot!(all[4].told(), @r#"p answered 422: {"detail":[{"loc":["body","tools"],"msg":"field required"}]}"#);
    assert_snapshot!(all[6].told(), @"p answered 400: no reason was given");
}

/// OpenRouter says so with a status that else is about the key.
#[test]
fn what_nobody_may_ask_is_not_about_the_key() {
    let message = "x requires moderation. Your input was flagged for \"y\"";
    let refusal = json(403, json!({ "error": { "code": 403, "message": message } }));
    all_are(Class::Refusal, std::slice::from_ref(&refusal));
    assert_snapshot!(refusal.told(), @r#"p answered 403: x requires moderation. Your input was flagged for "y". Ask otherwise, take back what it refuses, or choose another model"#);
}

/// OpenRouter wraps what the service behind it says.
#[test]
fn what_a_service_behind_a_service_says_is_told() {
    let raw = "m is temporarily rate-limited upstream. Please retry shortly.";
    let body = json!({ "error": { "message": "Provider returned error", "code": 429, "metadata": { "raw": raw } } });
    assert_snapshot!(json(429, body).told(), @"p answered 429: Provider returned error: m is temporarily rate-limited upstream. Please retry shortly");
}

#[test]
fn a_refusal_that_is_an_event_is_told_without_its_frame() {
    let failed = openai(500, "internal_server_error", json!("500"), "Error processing stream start").body;
    let too_long = anthropic(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum").body;
    let all = [
        // LiteLLM
        refused(500, format!("data: {failed}\n\ndata: [DONE]\n\n")),
        refused(400, format!("event: error\r\ndata: {too_long}\r\n\r\n")),
    ];
    assert_eq!(classes(&all), [Class::Service, Class::Overflow]);
    assert_snapshot!(all[0].told(), @"p answered 500: Error processing stream start");
    assert_snapshot!(all[1].told(), @"p answered 400: prompt is too long: 9 tokens > 8 maximum");
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let long = refused(500, "é".repeat(30_000)).told();
    assert_eq!(long, format!("p answered 500: {}…", "é".repeat(TOLD)));
    let long = json(400, json!({ "error": { "message": "x ".repeat(30_000) } })).told();
    assert_eq!(long.len(), "p answered 400: ".len() + TOLD + "…".len());
}

#[test]
fn how_long_to_wait_is_in_the_head_or_in_the_body() {
    let details = json!([
        { "@type": "type.googleapis.com/google.rpc.QuotaFailure" },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s" }
    ]);
    let body = json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": details } });
    let kind = |head| Fault::of_status(429, head, &body.to_string()).kind;
    let after = |millis| ErrorKind::Transient { retry_after: Some(Duration::from_millis(millis)) };
    assert_eq!(kind(None), after(2_500));
    assert_eq!(kind(Some(Duration::from_secs(1))), after(1_000));
    // Google puts a list around it when it is not asked for a stream of events.
    assert_eq!(Fault::of_status(429, None, &json!([body]).to_string()).kind, after(2_500));
}

/// Bug log 145: within a stream there is no status.
#[test]
fn an_error_in_a_stream_is_what_it_would_be_with_a_status() {
    for (event, class) in [
        (json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }), Class::Busy),
        (json!({ "type": "error", "error": { "type": "api_error", "message": "Internal" } }), Class::Service),
        (json!({ "type": "error", "code": "rate_limit_exceeded", "message": "m" }), Class::Busy),
        (
            json!({ "type": "response.failed", "response": { "error": { "code": "server_error", "message": "m" } } }),
            Class::Service,
        ),
        (json!({ "error": { "code": 502, "message": "Provider disconnected" } }), Class::Service),
        (json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "m" } }), Class::Busy),
        (json!({ "error": { "code": "context_length_exceeded", "message": "m" } }), Class::Overflow),
        (json!({ "error": { "code": "insufficient_quota", "message": "m" } }), Class::Credit),
        (json!({ "error": { "type": "invalid_request_error", "message": "m" } }), Class::Request),
        (json!({ "error": "upstream server is overloaded" }), Class::Busy),
        (json!({ "error": { "message": "Stream interrupted" } }), Class::Service),
        (json!({ "type": "error", "error": { "message": "m" } }), Class::Service),
        (json!({ "error": { "type": "BadRequestError", "code": 400, "message": "m" } }), Class::Request),
        (json!({ "error": { "code": "1500", "type": "invalid_model", "message": "m" } }), Class::Model),
        (json!({ "error": { "code": "3999", "message": "m" } }), Class::Request),
    ] {
        assert_eq!(Fault::of_event(&event).class, class, "{event}");
    }
    assert_eq!(Fault::of_text("upstream timeout").class, Class::Service);
}

#[test]
fn faults_of_ours_say_what_to_do() {
    let told = |fault: Fault| fault.told(&who()).text;
    assert_snapshot!(told(Fault::network("it cannot be connected to in time")), @"p: it cannot be connected to in time. Look whether https://p.example/v1 can be reached: `seam doctor` tries it");
    assert_snapshot!(told(Fault::certificate("invalid peer certificate: UnknownIssuer")), @"p: invalid peer certificate: UnknownIssuer. If an authority of your own vouches for it, give the PEM file of that authority as `ca-file` under `[providers.p]`");
    let of = |key: Option<&str>, status| {
        let who = Who { key: key.map(str::to_owned), keys_at: None, ..who() };
        Fault::of_status(status, None, "").told(&who).text
    };
    let all = [Some("the command `pass`"), None].map(|key| format!("{}\n{}", of(key, 401), of(key, 402)));
    assert_snapshot!(all.join("\n"), @r#"
    p answered 401: no reason was given. Look whether the command `pass` gives a valid key for it
    p answered 402: no reason was given. Look at the account of the key that the command `pass` gives, or choose another model
    p answered 401: no reason was given. It wants a key: set `key-env`, the name of a variable, or `key-command` under `[providers.p]`
    p answered 402: no reason was given. Look at the account that pays for it, or choose another model
    "#);
    assert_snapshot!(told(Fault::truncated()), @"p: the response ended before the answer was complete");
}
