// The page in a real browser: node page_client.mjs URL TOKEN SLOW TOKEN [FOLDER FOR PICTURES]
// SLOW is a server whose model never judges what was found (tests/serve/slow.toml), so that its runs last until they are
// stopped. Needs what tests/browser.sh provides.
import { join } from "node:path";
import { axe, chromium, options } from "../browser.mjs";

const [url, token, slow, slowToken, pictures] = process.argv.slice(2);
const failures = [];

function check(holds, what) {
  if (!holds) failures.push(what);
}

const browser = await chromium.launch(options);

/** One visit, as wide as a telephone or a desk, in one language. */
async function visit(width, locale, scheme, words) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, locale, colorScheme: scheme });
  const page = await context.newPage();
  const name = `${width}-${locale}-${scheme}`;
  page.on("console", (message) => { if (message.type() === "error") failures.push(`${name}: console: ${message.text()}`); });
  page.on("pageerror", (error) => failures.push(`${name}: ${error.message}`));
  page.on("request", (request) => check(/^(data|blob):/.test(request.url()) || [url, slow].some((one) => request.url().startsWith(one)), `${name}: asks ${request.url()}`));
  const seen = async (view) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    check(!wide, `${name}: ${view} is wider than the window`);
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${view}.png`), fullPage: true });
    // The policy of the page forbids scripts of others, so the checker is brought in past it.
    const found = await page.evaluate(async () => (await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })).violations
      .map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join("; ")}`));
    for (const violation of found) failures.push(`${name}: ${view}: ${violation}`);
  };
  await page.addInitScript({ path: axe });

  await page.goto(url);
  await page.getByRole("textbox").or(page.locator("#token")).first().waitFor();
  await seen("token");
  await page.fill("#token", token);
  await page.keyboard.press("Enter");
  await page.locator("#collections input").first().waitFor();
  await seen("ask");

  // The plan is seen and changed before it runs.
  await page.fill("#question", words.question);
  await page.click("#look");
  await page.locator(".planned").first().waitFor();
  const planned = await page.locator(".planned").count();
  await page.locator(".planned button").last().click();
  check(await page.locator(".planned").count() === planned - 1, `${name}: a search of the plan is not removed`);
  await page.click("#add");
  await page.keyboard.type(words.search);
  await seen("plan");
  await page.locator("#plan button").last().click();

  // The run is watched to its end.
  await page.locator("#on").waitFor({ timeout: 60_000 });
  check((await page.locator("#story").textContent()).includes(words.search), `${name}: the search that was added is not told`);
  check(await page.locator("#report").textContent() !== "", `${name}: there is no report`);
  await seen("report");

  // A citation leads to its evidence, and that to its passage.
  await page.locator("#report [data-cites]").first().focus();
  await page.keyboard.press("Enter");
  const shown = page.locator("#sources .shown");
  check(await shown.count() === 1, `${name}: a citation shows no evidence`);
  const quote = await shown.locator("blockquote").textContent();
  await shown.getByRole("link").first().click();
  await page.waitForFunction(() => document.getElementById("text").textContent !== "");
  const flat = (text) => text.replace(/\s+/g, " ").replace(/[*_`#…]/g, "").trim();
  check(flat(await page.locator("#text").textContent()).includes(flat(quote).slice(0, 40)), `${name}: the passage does not hold the quote: ${quote}`);
  await seen("passage");

  // A question that follows.
  await page.goBack();
  await page.locator("#on").waitFor({ timeout: 60_000 });
  const first = page.url();
  await page.fill("#next", words.next);
  await page.locator("#on button").click();
  await page.waitForURL((at) => at.href !== first);
  await page.locator("#on").waitFor({ timeout: 60_000 });
  check((await page.locator("#asked").textContent()).includes(words.next), `${name}: the question that follows is not shown`);

  // A link as chat programs show it leads to the evidence.
  await page.goto(`${first}/1`);
  await page.locator("#source-1.shown blockquote").waitFor({ timeout: 60_000 });

  await page.click('#nav a[href="#search"]');
  await page.fill("#words", words.search);
  await page.keyboard.press("Enter");
  await page.locator("#hits li").first().waitFor();
  await seen("search");
  await page.click('#nav a[href="#documents"]');
  await page.locator("#holdings summary").first().click();
  await page.locator("#holdings li").first().waitFor();
  await seen("documents");
  await page.click('#nav a[href="#memory"]');
  await page.locator("#events li").first().waitFor();
  await page.locator("#picture img").waitFor();
  check(await page.locator("#picture img").evaluate((image) => image.naturalWidth > 0), `${name}: the timeline is not drawn`);
  await seen("memory");

  // Earlier runs are listed below the form.
  await page.click('#nav a[href="#ask"]');
  await page.locator("#runs li").first().waitFor();
  check(await page.locator("#runs li").count() >= 2, `${name}: the runs are not listed`);

  // A run is stopped for its report, and another one at once.
  const start = async () => {
    await page.goto(`${slow}/#token=${slowToken}`);
    await page.locator("#collections input").first().waitFor();
    await page.fill("#question", words.question);
    await page.locator("#ask button").first().click();
    await page.locator("#story li", { hasText: "Round 1" }).first().waitFor();
    for (const button of ["#finish", "#cancel"]) check(await page.locator(button).isVisible(), `${name}: ${button} is not shown while a run is under way`);
  };
  await start();
  await seen("running");
  await page.locator("#finish").focus();
  await page.keyboard.press("Enter");
  await page.locator("#on").waitFor({ timeout: 60_000 });
  check((await page.locator("#report").textContent()).includes("Film Roman drew the show"), `${name}: what was found before the stop is not reported`);
  check(await page.locator("#report [data-cites]").count() > 0, `${name}: the report after a stop cites nothing`);
  check(/interrupted|中断/.test(await page.locator("#story").textContent()), `${name}: the stop is not told`);
  await seen("stopped");
  await start();
  await page.locator("#cancel").click();
  await page.locator("#status", { hasText: words.stopped }).waitFor({ timeout: 60_000 });
  check(await page.locator("#report").textContent() === "", `${name}: a run that was stopped at once has a report`);
  for (const button of ["#finish", "#cancel"]) check(await page.locator(button).isHidden(), `${name}: ${button} is shown after the end`);
  await seen("cancelled");
  await context.close();
}

try {
  const english = { question: "How has The Simpsons changed?", search: "Springfield characters", next: "And who ran it?", stopped: "stopped" };
  const japanese = { question: "The Simpsons はどう変わりましたか", search: "映画の興行収入", next: "では誰が制作しましたか", stopped: "中止済み" };
  await visit(1440, "en-US", "light", english);
  await visit(390, "en-US", "dark", english);
  await visit(390, "ja-JP", "light", japanese);
} finally {
  await browser.close();
}
for (const failure of failures) console.error(failure);
console.log(failures.length ? `the page: ${failures.length} failures` : "the page: asked, planned, watched, stopped, read, searched, in English and Japanese, wide and narrow");
process.exit(failures.length ? 1 : 0);
