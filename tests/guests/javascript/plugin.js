// A gate, a result patch and a context edit in JavaScript: what every language must be able to do with the contract.
// `cargo xtask test` builds it with componentize-qjs. There is no console and no clock.
import conversation from "seam:harness/conversation@0.1.0";
import log from "seam:harness/log@0.1.0";

const LANGUAGE = "javascript";
// The most entries that one call of `outline` gives.
const PAGE = 4096;

let called = false;

export const toolCall = {
    decide({ call }) {
        if (!called) {
            log.write("info", `${LANGUAGE} gate`);
            called = true;
        }
        const holds = (part) => call.arguments.includes(part);
        if (holds("crash-gate")) throw new Error("the gate crashes");
        if (holds("forbidden")) return { tag: "block", val: { reason: `${LANGUAGE} says no`, terminate: false } };
        if (holds("ask-me")) return { tag: "ask", val: `${LANGUAGE} asks` };
        if (holds("wrong-shape")) return { tag: "blok", val: { reason: "misspelt", terminate: false } };
        if (holds("no-answer")) return;
        return { tag: "proceed" };
    },
};

export const toolResult = {
    review({ content }) {
        const texts = content.filter((piece) => piece.tag === "text");
        const holds = (part) => texts.some((text) => text.val.includes(part));
        if (holds("crash-patch")) throw new Error("the patch crashes");
        if (holds("withhold-me")) return { tag: "withhold", val: `${LANGUAGE} withholds` };
        if (!holds("SECRET")) return { tag: "keep" };
        const hide = (text) => text.replaceAll("SECRET", `[hidden by ${LANGUAGE}]`);
        const hidden = content.map((piece) => (piece.tag === "text" ? { tag: "text", val: hide(piece.val) } : piece));
        return { tag: "change", val: [{ tag: "content", val: hidden }] };
    },
};

export const transformContext = {
    transform({ length }) {
        const edits = [];
        let marked = false;
        for (let start = 0; start < length; start += PAGE) {
            // Sizes first, then the messages that say something.
            for (const [place, { kind, bytes }] of conversation.outline(start, length).entries()) {
                if (bytes === 0) continue;
                const index = start + place;
                const { val } = conversation.get(index);
                const says = (part) => val.content.some((piece) => piece.tag === "text" && piece.val.includes(part));
                if (says("crash-context")) throw new Error("the context edit crashes");
                marked ||= says("mark-me");
                if (kind === "tool" && says("stale")) {
                    edits.push({ tag: "drop-range", val: { start: index, end: index + 1 } });
                }
            }
        }
        if (marked) {
            const seen = { content: [{ tag: "text", val: `seen by ${LANGUAGE}` }], timestamp: 0 };
            edits.push({ tag: "insert", val: { index: length, message: { tag: "user", val: seen } } });
        }
        return edits;
    },
};
