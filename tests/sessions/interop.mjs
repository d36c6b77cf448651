// The reference's own package at work on session files.
//
//   node interop.mjs PACKAGE write FOLDER SEED   writes a session with every type of entry, and prints its reduction
//   node interop.mjs PACKAGE go-on FILE          opens a session, appends to it, and prints its reduction
//   node interop.mjs PACKAGE read FILE           opens a session and prints its reduction
//
// PACKAGE is the folder of `@earendil-works/pi-agent-core`. Prints one line of JSON: the file and its reduction.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, command, where, seed] = process.argv.slice(2);
const { JsonlSessionRepo, NodeExecutionEnv, buildSessionContext } = await import(
  pathToFileURL(resolve(folder, "dist/node.js")).href
);

const repo = new JsonlSessionRepo({
  fs: new NodeExecutionEnv({ cwd: process.cwd() }),
  sessionsRoot: command === "write" ? where : process.cwd(),
});

// Chance that is the same each time.
let state = Number(seed ?? 1);
function below(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}
const oneOf = (list) => list[below(list.length)];

const TEXTS = ["plain", "", "Grüße 日本語 👩‍👩‍👧‍👦", "\u2028 \u2029 \u0085 \r\n \t \u0000", 'quote " and \\ud83d', "x".repeat(3000)];
const usage = () => ({ input: below(9999), output: 7, totalTokens: 16, cost: { input: below(9999) * 0.0000123, total: 0.1 + 0.2 } });
const user = () => ({ role: "user", content: oneOf([oneOf(TEXTS), [{ type: "text", text: oneOf(TEXTS) }]]), timestamp: 1700000000000 + below(9999) });
const assistant = () => ({
  role: "assistant",
  content: [{ type: "thinking", thinking: "hm" }, { type: "toolCall", id: "c1", name: "read", arguments: { big: 9007199254740991, f: 1e-7 } }],
  provider: oneOf(["anthropic", "openai"]),
  model: oneOf(["m1", "m2"]),
  usage: usage(),
  stopReason: oneOf(["stop", "toolUse"]),
  timestamp: 1,
});
const result = () => ({ role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text: oneOf(TEXTS) }], isError: false, timestamp: 2 });

async function someId(session, ofBranch) {
  const entries = ofBranch ? await session.getBranch() : await session.getEntries();
  return entries.length ? oneOf(entries).id : null;
}

async function step(session) {
  const label = oneOf(["mark", "  padded ", "", undefined]);
  const summary = { summary: oneOf(["left", ""]), details: oneOf([undefined, { x: 1 }]), fromHook: oneOf([true, undefined]) };
  switch (below(14)) {
    case 0: return session.appendModelChange("anthropic", oneOf(["m3", "m4"]));
    case 1: return session.appendThinkingLevelChange(oneOf(["off", "high"]));
    case 2: return session.appendActiveToolsChange(oneOf([[], ["read"], ["read", "bash"]]));
    case 3: return session.appendCompaction("so far", (await someId(session, true)) ?? "none", below(9999), oneOf([undefined, { readFiles: [] }]), oneOf([undefined, false]));
    case 4: return session.appendCustomEntry("state", oneOf([undefined, null, { k: oneOf(TEXTS) }]));
    case 5: return session.appendCustomMessageEntry("note", oneOf([oneOf(TEXTS), [{ type: "text", text: "t" }]]), oneOf([true, false]), oneOf([undefined, null, { d: 1 }]));
    case 6: { const id = await someId(session, false); return id && session.appendLabel(id, label); }
    case 7: return session.appendSessionName(oneOf(["name", " two\nlines ", ""]));
    case 8: return session.moveTo(oneOf([await someId(session, false), null]), oneOf([undefined, summary]));
    case 9: case 10: return session.appendMessage(assistant());
    case 11: return session.appendMessage(result());
    default: return session.appendMessage(user());
  }
}

async function reduction(session) {
  const labels = {};
  for (const entry of await session.getEntries()) {
    const label = await session.getLabel(entry.id);
    if (label !== undefined) labels[entry.id] = label;
  }
  const branch = await session.getBranch();
  return {
    leaf: await session.getLeafId(),
    branch: branch.map((entry) => entry.id),
    name: (await session.getSessionName()) ?? null,
    labels,
    context: buildSessionContext(branch),
  };
}

let session;
if (command === "write") {
  session = await repo.create({ cwd: "/work", metadata: { seed } });
  for (let count = 0; count < 60; count += 1) await step(session);
} else {
  session = await repo.open({ path: where });
  if (command === "go-on") {
    await session.appendMessage(user());
    await session.moveTo(await someId(session, false), { summary: "left" });
    await session.appendMessage(assistant());
  }
}
const { path } = await session.getMetadata();
console.log(JSON.stringify({ path, reduced: await reduction(session) }));
