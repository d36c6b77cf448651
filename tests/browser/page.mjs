// A page of `seam session export --html` in Chromium.
//
//   node page.mjs PLAYWRIGHT CHROMIUM screens PAGE          on a desk and on phones, light and dark
//   node page.mjs PLAYWRIGHT CHROMIUM keys PAGE JOURNAL     each crossing, reached with the keys
//   node page.mjs PLAYWRIGHT CHROMIUM many PAGE JOURNAL     each crossing, when there are thousands
//   node page.mjs PLAYWRIGHT CHROMIUM hostile PLAIN PAGE    the same elements, whatever the words
//   node page.mjs PLAYWRIGHT CHROMIUM plain PAGE            without scripts
//
// PLAYWRIGHT is the folder of `playwright-core`. Whatever is logged, asked of the network or shown as a dialog fails it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, executablePath, what, ...files] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(folder, "index.mjs")).href);
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args });

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const SMALL = { width: 360, height: 740 };

// Opens a page, looks at it, and fails when anything happened that should not.
async function open(file, options, look) {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const amiss = [];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => amiss.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => amiss.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { amiss.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith("data:") && asked.split("#")[0] !== url) amiss.push(`request: ${asked}`);
  });
  await page.goto(url);
  await look(page);
  assert.deepEqual(amiss, []);
  await context.close();
}

// The numbers of the journal's records that are on a time line.
function records(journal) {
  const lines = readFileSync(journal, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  return lines.filter((line) => ["crossing", "ruling", "run"].includes(line.kind)).map((line) => line.n);
}

const told = (page) => page.$$eval("#panel li small", (all) => all.map((small) => Number(/record (\d+) of/.exec(small.textContent)?.[1])));

// Goes from mark to mark with the right arrow, and gives the records that the panel told of.
async function walk(page) {
  const found = new Set();
  await page.focus("#in:not([disabled]), #fit:not([disabled]), #out:not([disabled]), input[name=scale]");
  while (!(await page.evaluate(() => document.activeElement.classList.contains("mark")))) await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  for (let before = null; ;) {
    for (const n of await told(page)) found.add(n);
    while (await page.$("#panel button:text('Next')")) {
      await page.click("#panel button:text('Next')");
      for (const n of await told(page)) found.add(n);
    }
    await page.focus("#track .mark[tabindex='0']");
    const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    const place = await page.evaluate(() => document.activeElement.style.left);
    if (before === place + label) break;
    before = place + label;
    await page.keyboard.press("ArrowRight");
  }
  found.delete(NaN);
  return [...found].sort((one, other) => one - other);
}

// The same for thousands, with key presses that the page makes itself: they are many times as fast.
async function run(page) {
  return page.evaluate(() => {
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const found = new Set();
    const listen = () => document.querySelectorAll("#panel li small").forEach((small) => {
      const record = /record (\d+) of/.exec(small.textContent);
      if (record) found.add(Number(record[1]));
    });
    document.querySelector("#track .mark[tabindex='0']").focus();
    press("Home");
    for (let before = ""; ;) {
      listen();
      for (let next; (next = [...document.querySelectorAll("#panel button")].find((one) => one.textContent.startsWith("Next")));) {
        next.click();
        listen();
      }
      const here = document.activeElement;
      const place = here.style.left + here.getAttribute("aria-label");
      if (place === before) return [...found].sort((one, other) => one - other);
      before = place;
      press("ArrowRight");
    }
  });
}

const TESTS = {
  async screens(file) {
    const pages = new Set();
    for (const viewport of [DESK, PHONE, SMALL]) {
      for (const colorScheme of ["light", "dark"]) {
        await open(file, { viewport, colorScheme, hasTouch: viewport !== DESK }, async (page) => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= viewport.width, `${wide} pixels wide on ${viewport.width}`);
          pages.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
          const mark = page.locator(".lane", { hasText: "gate" }).locator(".mark.refused").first();
          await (viewport === DESK ? mark.hover() : mark.tap());
          assert.match(await page.textContent("#panel"), /gate refused: no.*tool-call · \d\d:.*took 1\.2 ms/s);
          await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
          const opened = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(opened <= viewport.width, `${opened} pixels wide on ${viewport.width}, unfolded`);
          await page.emulateMedia({ media: "print" });
          assert.equal(await page.isVisible("#timeline"), false);
        });
      }
    }
    assert.equal(pages.size, 2, "light and dark differ");
  },

  async keys(file, journal) {
    await open(file, {}, async (page) => {
      assert.deepEqual(await walk(page), records(journal));
      // By the clock too, where marks share places.
      await page.check("input[value=clock]");
      assert.deepEqual(await walk(page), records(journal));
      // Enter goes on to the list, and from there to the conversation.
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      assert.ok(await page.evaluate(() => document.activeElement.closest("#panel") !== null));
      // What is left out in the legend is not on the line.
      await page.locator("#legend input").first().uncheck();
      assert.equal(await page.locator(".mark.refused").count(), 0);
    });
  },

  async many(file, journal) {
    await open(file, {}, async (page) => {
      assert.ok((await page.locator("#track *").count()) < 3000, "few elements");
      assert.deepEqual(await run(page), records(journal));
      // As near as can be, each has a mark of its own.
      for (let step = 0; step < 20 && !(await page.isDisabled("#in")); step++) await page.click("#in");
      assert.ok(await page.isDisabled("#in"));
      assert.equal(await page.locator(".many").count(), 0);
      assert.ok((await page.locator("#track *").count()) < 3000, "few elements, near too");
    });
  },

  async hostile(plain, file) {
    const counts = [];
    for (const one of [plain, file]) {
      await open(one, {}, async (page) => {
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
        for (const mark of await page.$$(".mark")) await mark.hover();
        await page.waitForTimeout(200);
        counts.push(await page.evaluate(() => [...document.querySelectorAll("body *:not(#panel *)")].map((one) => one.tagName).join(" ")));
        assert.equal(await page.evaluate(() => document.querySelectorAll("#data").length), 1);
      });
    }
    assert.equal(counts[1].split(" ").length, counts[0].split(" ").length);
  },

  async plain(file) {
    await open(file, { javaScriptEnabled: false, viewport: PHONE }, async (page) => {
      const text = await page.innerText("body");
      for (const words of ["Please count.", "I count.", "refused: no", "scripts are off", "so far"]) {
        assert.ok(text.includes(words), `"${words}" is read`);
      }
      assert.equal(await page.isVisible("#board"), false);
    });
  },
};

try {
  await TESTS[what](...files);
} finally {
  await browser.close();
}
