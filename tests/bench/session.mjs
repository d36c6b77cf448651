// The reference's side of `cargo xtask bench session`: `node --expose-gc session.mjs PACKAGE`, where PACKAGE is the folder
// of `@earendil-works/pi-agent-core` 0.80.10. It reads a question a line and answers each with a line of JSON.
//
//   {"do":"about"}                                     {"about"}: what it is
//   {"do":"append","folder","file","entries","messages"}  {"us"}: microseconds of an entry, in a new session or in `file`
//   {"do":"open","file"}                               {"us"}: microseconds from the file to the context
//   {"do":"memory","file"}                             {"resident","peak"}: KiB, with a session and its context held
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { JsonlSessionRepo, NodeExecutionEnv, buildSessionContext } = await import(pathToFileURL(join(folder, "dist/node.js")).href);
const { version } = JSON.parse(readFileSync(join(folder, "package.json")));

const repo = (sessionsRoot) => new JsonlSessionRepo({ fs: new NodeExecutionEnv({ cwd: process.cwd() }), sessionsRoot });

async function opened(file) {
  const session = await repo(process.cwd()).open({ path: file });
  return { session, context: buildSessionContext(await session.getBranch()) };
}

const deeds = {
  about: () => ({ about: `reference: pi-agent-core ${version}, Node.js ${process.version}` }),

  async append({ folder, file, entries, messages }) {
    const session = file === null ? await repo(folder).create({ cwd: "/work" }) : await repo(folder).open({ path: file });
    const start = performance.now();
    for (let place = 0; place < entries; place += 1) await session.appendMessage(messages[place % messages.length]);
    return { us: ((performance.now() - start) * 1000) / entries };
  },

  async open({ file }) {
    const start = performance.now();
    const { session, context } = await opened(file);
    const took = performance.now() - start;
    if (context.messages.length !== (await session.getEntries()).length) throw new Error("the context is not whole");
    return { us: took * 1000 };
  },

  async memory({ file }) {
    const { session, context } = await opened(file);
    globalThis.gc();
    const status = readFileSync("/proc/self/status", "utf8");
    const [resident, peak] = ["VmRSS", "VmHWM"].map((name) => Number(status.match(new RegExp(`${name}:\\s*(\\d+)`))[1]));
    if (context.messages.length !== (await session.getEntries()).length) throw new Error("the context is not whole");
    return { resident, peak };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await deeds[question.do](question))}\n`);
}
