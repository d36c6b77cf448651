// The reference's side of `cargo xtask bench turn`. It reads one JSON value a line: first what all cases share, then a
// case for each round to be timed. It answers each with one line: what it is, then the microseconds of a turn: the
// median of the round.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Agent } from "@earendil-works/pi-agent-core";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
const source = { api: "ready", provider: "ready" };
const model = {
  ...source, id: "m", name: "m", baseUrl: "", reasoning: false, input: ["text"], cost,
  contextWindow: 1_000_000, maxTokens: 100_000,
};

const text = (text) => [{ type: "text", text }];
const user = (said) => ({ role: "user", content: text(said), timestamp: 0 });
const assistant = (content, stopReason) =>
  ({ role: "assistant", content, ...source, model: "m", usage, stopReason, timestamp: 0 });
const sharedTool = (small) => (small ? shared.smallTool : shared.tool);
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** A gate that looks at its call: the tool and the path. */
function gate(number) {
  const [tool, folder] = [`forbidden${number}`, `.git${number}/`];
  return async ({ toolCall, args }) =>
    toolCall.name === tool || args.path.startsWith(folder) ? { block: true, reason: "forbidden" } : undefined;
}

/** Gates are asked in order, until one blocks. */
function ask(gates) {
  return async (context) => {
    for (const gate of gates) {
      const verdict = await gate(context);
      if (verdict?.block) return verdict;
    }
    return undefined;
  };
}

/** The events of a response that arrives in pieces. */
function streamed(deltas) {
  const whole = "word ".repeat(deltas);
  const message = assistant(text(whole), "stop");
  const at = { contentIndex: 0, partial: assistant(text(""), "pending") };
  return [
    { type: "start", partial: at.partial },
    { type: "text_start", ...at },
    ...times(deltas, () => ({ type: "text_delta", delta: "word ", ...at })),
    { type: "text_end", content: whole, ...at },
    { type: "done", reason: "stop", message },
  ];
}

/** The events of the responses of a run. */
function responses({ tools, calls, deltas, turns, small }) {
  if (calls === 0) return [streamed(deltas)];
  const call = (turn, index) => ({
    type: "toolCall", id: `call-${turn}-${index}`, name: `edit${tools - 1}`, arguments: structuredClone(sharedTool(small).arguments),
  });
  const messages = times(turns, (turn) => assistant(times(calls, (index) => call(turn, index)), "toolUse"));
  messages.push(assistant(text("done"), "stop"));
  return messages.map((message) => [{ type: "done", reason: message.stopReason, message }]);
}

/**
 * A case, ready to run: gives the milliseconds of each turn of a run, from its request to the next; without calls, to
 * the end of the run. What it takes to set a run up does not count.
 */
function prepare(of) {
  const tool = (number) => ({
    name: `edit${number}`, label: `edit${number}`, description: `Changes a file, in way ${number}.`,
    parameters: structuredClone(sharedTool(of.small).schema), execute: async () => ({ content: text(shared.done), details: {} }),
  });
  const tools = times(of.tools, tool);
  const messages = times(of.messages, (n) =>
    n % 2 === 0 ? user(shared.said) : assistant(text(shared.said), "stop"));
  const beforeToolCall = of.gates > 0 ? ask(times(of.gates, gate)) : undefined;
  return async () => {
    const ready = responses(of);
    const asked = [];
    const streamFn = () => {
      asked.push(performance.now());
      const stream = createAssistantMessageEventStream();
      for (const event of ready[asked.length - 1]) stream.push(event);
      return stream;
    };
    const agent = new Agent({ initialState: { systemPrompt: "You are measured.", model, tools, messages }, streamFn, beforeToolCall });
    let told = 0;
    agent.subscribe(() => void told++);
    await agent.prompt("go");
    const end = performance.now();
    check(of, agent.state.messages, told);
    if (of.calls === 0) asked.push(end);
    return asked.slice(1).map((next, turn) => next - asked[turn]);
  };
}

/** The work was done. */
function check({ messages, calls, turns }, transcript, told) {
  const answers = calls === 0 ? 1 : turns * (1 + calls) + 1;
  const added = transcript.filter(({ role }) => role !== "system").slice(messages + 1);
  if (added.length !== answers || told === 0 || added.some(({ isError, stopReason }) => isError || stopReason === "error"))
    throw new Error(`the run went wrong: ${JSON.stringify(added.slice(0, 3))}`);
}

function about() {
  const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/@earendil-works/${name}/package.json`, import.meta.url))).version;
  return `reference: pi-agent-core ${version("pi-agent-core")}, pi-ai ${version("pi-ai")}, Node.js ${process.version}`;
}

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const cases = new Map();
let shared;
for await (const line of createInterface({ input: process.stdin })) {
  if (shared === undefined) {
    shared = JSON.parse(line);
    answer({ about: about() });
    continue;
  }
  const of = JSON.parse(line);
  const run = cases.get(line) ?? prepare(of);
  cases.set(line, run);
  await run();
  const turns = [];
  for (let n = 0; n < of.runs; n++) turns.push(...(await run()));
  turns.sort((a, b) => a - b);
  answer({ us: turns[Math.floor(turns.length / 2)] * 1000 });
}
