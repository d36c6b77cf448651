//! One rich request, as each service is sent it.

use insta::assert_snapshot;
use seam_tests::models::conversations::{PICTURE, SIGNATURE, tools};

use super::*;

fn picture() -> Content {
    Content::Image { data: PICTURE[..6].to_vec(), mime_type: "image/png".to_owned() }
}

/// The body of a request for the third answer: behind reasoning with proof, two calls, a result that failed, one with a
/// picture, and an answer.
async fn body(protocol: Protocol) -> String {
    let wire = Wire::new();
    let calls = Said::new(vec![
        Block::thinking("I have to look.", Some(SIGNATURE)),
        Block::text("I look."),
        Block::call("call_1", "look", json!({ "path": "b.png" })),
        Block::call("call_2", "write", json!({ "path": "a", "content": "é" })),
    ]);
    wire.server.say(protocol, &calls);
    wire.server.say(protocol, &Said::text("It is red."));
    let mut messages = vec![user(vec![Content::text("Is it this?"), picture()])];
    let seen =
        Answered { id: "call_1", tool: "look", content: vec![Content::text("b.png"), picture()], is_error: false };
    let failed = Answered { id: "call_2", tool: "write", content: vec![Content::text("no")], is_error: true };
    for more in [vec![result(&seen), result(&failed)], vec![user(vec![Content::text("Why?")])]] {
        let events = wire.ask(&model(protocol), &messages, &tools()).await.unwrap();
        messages.push(Arc::new(Message::Assistant(whole(&events).clone())));
        messages.extend(more);
    }
    wire.ask(&model(protocol), &messages, &tools()).await.unwrap();
    let sent = &wire.server.requests()[2];
    format!("POST {}\n{}", sent.path, lines(&sent.body))
}

/// A line for each field, and one for each part of a list.
fn lines(body: &Value) -> String {
    let fields = body.as_object().unwrap().iter().flat_map(|(name, value)| match value {
        Value::Array(parts) => {
            let parts = parts.iter().map(|part| format!("  {part}"));
            std::iter::once(format!("{name}:")).chain(parts).collect()
        }
        value => vec![format!("{name}: {value}")],
    });
    fields.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn to_anthropic() {
    assert_snapshot!(body(Protocol::Anthropic).await, @r#"
    POST /v1/messages
    model: "claude-sonnet-4-5"
    max_tokens: 8192
    stream: true
    system:
      {"type":"text","text":"Be kind.\nAnswer in the user's language: \"日本語\" too.","cache_control":{"type":"ephemeral"}}
    tools:
      {"name":"write","description":"Writes a file.","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"Where."},"content":{"type":"string","description":"What."}},"required":["path"],"additionalProperties":false}}
      {"name":"look","description":"Looks at a file, or without a path at the folder.","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"Where."}},"required":[],"additionalProperties":false},"cache_control":{"type":"ephemeral"}}
    messages:
      {"role":"user","content":[{"type":"text","text":"Is it this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}}]}
      {"role":"assistant","content":[{"type":"thinking","thinking":"I have to look.","signature":"EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM9NECy50y44=="},{"type":"text","text":"I look."},{"type":"tool_use","id":"call_1","name":"look","input":{"path":"b.png"}},{"type":"tool_use","id":"call_2","name":"write","input":{"path":"a","content":"é"}}]}
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"b.png"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}}]},{"type":"tool_result","tool_use_id":"call_2","content":[{"type":"text","text":"no"}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}
      {"role":"assistant","content":[{"type":"text","text":"It is red."}]}
      {"role":"user","content":[{"type":"text","text":"Why?","cache_control":{"type":"ephemeral"}}]}
    "#);
}

#[tokio::test]
async fn to_openai_chat() {
    assert_snapshot!(body(Protocol::Chat).await, @r#"
    POST /v1/chat/completions
    model: "gpt-4.1"
    messages:
      {"role":"system","content":"Be kind.\nAnswer in the user's language: \"日本語\" too."}
      {"role":"user","content":[{"type":"text","text":"Is it this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0K"}}]}
      {"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"path\":\"b.png\"}"}},{"id":"call_2","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\",\"content\":\"é\"}"}}]}
      {"role":"tool","tool_call_id":"call_1","content":"b.png"}
      {"role":"tool","tool_call_id":"call_2","content":"no"}
      {"role":"user","content":[{"type":"text","text":"What `look` shows, called as call_1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0K"}}]}
      {"role":"assistant","content":"It is red."}
      {"role":"user","content":"Why?"}
    stream: true
    stream_options: {"include_usage":true}
    tools:
      {"type":"function","function":{"name":"write","description":"Writes a file.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where."},"content":{"type":"string","description":"What."}},"required":["path"],"additionalProperties":false}}}
      {"type":"function","function":{"name":"look","description":"Looks at a file, or without a path at the folder.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where."}},"required":[],"additionalProperties":false}}}
    "#);
}

#[tokio::test]
async fn to_openai_responses() {
    assert_snapshot!(body(Protocol::Responses).await, @r#"
    POST /v1/responses
    model: "gpt-5"
    stream: true
    store: false
    instructions: "Be kind.\nAnswer in the user's language: \"日本語\" too."
    input:
      {"type":"message","role":"user","content":[{"type":"input_text","text":"Is it this?"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0K","detail":"auto"}]}
      {"type":"reasoning","id":"rs_0ccfefab56fc1e6b0169b3197fec94810000","summary":[{"type":"summary_text","text":"I have to look."}],"encrypted_content":"EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM9NECy50y44=="}
      {"type":"message","role":"assistant","content":"I look."}
      {"type":"function_call","call_id":"call_1","name":"look","arguments":"{\"path\":\"b.png\"}"}
      {"type":"function_call","call_id":"call_2","name":"write","arguments":"{\"path\":\"a\",\"content\":\"é\"}"}
      {"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"b.png"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0K","detail":"auto"}]}
      {"type":"function_call_output","call_id":"call_2","output":"no"}
      {"type":"message","role":"assistant","content":"It is red."}
      {"type":"message","role":"user","content":[{"type":"input_text","text":"Why?"}]}
    tools:
      {"type":"function","name":"write","description":"Writes a file.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where."},"content":{"type":"string","description":"What."}},"required":["path"],"additionalProperties":false},"strict":false}
      {"type":"function","name":"look","description":"Looks at a file, or without a path at the folder.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where."}},"required":[],"additionalProperties":false},"strict":false}
    prompt_cache_key: "seam-bcaeefe42e66d5fa"
    "#);
}

#[tokio::test]
async fn to_gemini() {
    assert_snapshot!(body(Protocol::Gemini).await, @r#"
    POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse
    systemInstruction: {"parts":[{"text":"Be kind.\nAnswer in the user's language: \"日本語\" too."}]}
    contents:
      {"role":"user","parts":[{"text":"Is it this?"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0K"}}]}
      {"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"call_1","name":"look","args":{"path":"b.png"}},"thoughtSignature":"EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM9NECy50y44=="},{"functionCall":{"id":"call_2","name":"write","args":{"path":"a","content":"é"}}}]}
      {"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"look","response":{"output":"b.png"}}},{"functionResponse":{"id":"call_2","name":"write","response":{"error":"no"}}}]}
      {"role":"user","parts":[{"text":"What the call call_1 of look shows:"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0K"}}]}
      {"role":"model","parts":[{"text":"It is red."}]}
      {"role":"user","parts":[{"text":"Why?"}]}
    tools:
      {"functionDeclarations":[{"name":"write","description":"Writes a file.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where."},"content":{"type":"string","description":"What."}},"required":["path"],"additionalProperties":false}},{"name":"look","description":"Looks at a file, or without a path at the folder.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where."}},"required":[],"additionalProperties":false}}]}
    "#);
}
