// Opens pages of reports as people do: node page.mjs FOLDER [SNAPSHOTS]
import { readFileSync, writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { axe as checker, chromium, options } from "../browser.mjs";

const [folder, snapshots] = process.argv.slice(2);
const axe = readFileSync(checker, "utf8");
const faults = [];
const profile = join(folder, "profile");
const browser = await chromium.launchPersistentContext(profile, options);

async function open(file, at, isWhole) {
  const page = await browser.newPage();
  if (isWhole) {
    page.on("console", (said) => faults.push(`${at}: the console says: ${said.text()}`));
    page.on("pageerror", (error) => faults.push(`${at}: ${error}`));
  }
  page.on("dialog", (dialog) => { faults.push(`${at}: a dialog opens`); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== pathToFileURL(file).href) faults.push(`${at}: asks for ${request.url()}`); });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.querySelector("#check.ok, #check.bad"), null, { timeout: isWhole ? 10000 : 700 }).catch(() => {});
  return page;
}

// What overlaps: a passage beside the text that lies on another one or on the text.
const overlaps = () => {
  const boxes = [...document.querySelectorAll(".note")].filter((one) => one.getClientRects().length).map((one) => one.getBoundingClientRect());
  const main = [...document.querySelectorAll("main > p, main > ul, main > h2")].map((one) => one.getBoundingClientRect());
  let count = 0;
  const lie = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  boxes.forEach((a, at) => boxes.slice(at + 1).forEach((b) => { count += lie(a, b); }));
  boxes.forEach((a) => main.forEach((b) => { count += a.width < 500 && innerWidth > 1200 && lie(a, b); }));
  return count;
};

let looks = 0;
for (const name of ["english", "japanese", "arabic", "hostile"]) {
  const file = join(folder, name + ".html");
  for (const width of [1440, 800, 390]) {
    for (const scheme of ["light", "dark", "print"]) {
      const at = `${name} at ${width} px, ${scheme}`;
      const page = await open(file, at, true);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia(scheme === "print" ? { media: "print", colorScheme: "light" } : { media: "screen", colorScheme: scheme });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) faults.push(`${at}: it scrolls sideways by ${wide} px`);
      if (!await page.locator("#check.ok").count()) faults.push(`${at}: the page does not say that it is unaltered`);
      if (scheme !== "print") {
        if (await page.evaluate(overlaps)) faults.push(`${at}: passages overlap`);
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        if (found.passes.length < 20) faults.push(`${at}: the checker saw only ${found.passes.length} rules hold`);
        for (const one of found.violations) faults.push(`${at}: ${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 200)}`);
      }
      if (snapshots) await page.screenshot({ path: join(snapshots, `${name}-${width}-${scheme}.png`), fullPage: false });
      await page.close();
      looks += 1;
    }
  }
}

// A citation unfolds its passage without the script, too.
const still = await chromium.launch(options);
const quiet = await (await still.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } })).newPage();
await quiet.goto(pathToFileURL(join(folder, "english.html")).href);
if (await quiet.locator("#e1-1").isVisible()) faults.push("a passage is unfolded before anybody asks for it");
await quiet.locator("#c1 .cite").click();
if (!await quiet.locator("#e1-1").isVisible()) faults.push("a citation does not unfold its passage without the script");
await quiet.setViewportSize({ width: 1440, height: 800 });
if (!await quiet.locator("#e2-1").isVisible()) faults.push("no passage stands beside the text without the script");
await still.close();

// With it, arrow keys go from citation to citation and light up what belongs together; a source chooses its sentences.
const alive = await open(join(folder, "english.html"), "keys", true);
await alive.locator(".cite").first().focus();
await alive.keyboard.press("ArrowRight");
const lit = await alive.evaluate(() => [...document.querySelectorAll(".lit")].map((one) => one.id));
if (!/^c2,e\d+-\d+$/.test(lit.join())) faults.push(`an arrow key lights up ${lit}`);
await alive.selectOption("#source", "4");
const unlit = await alive.evaluate(() => [...document.querySelectorAll(".claim:not(.unlit)")].every((one) => one.dataset.cites.split(" ").includes("4")));
if (!unlit) faults.push("sentences of other sources are not dimmed");
await alive.close();

// Every edit that changes what the page shows is named by the page; `verify` names the others, too.
let seed = 7;
const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 2147483648 * below); };
const whole = [...readFileSync(join(folder, "japanese.html"), "utf8")];
const edited = join(folder, "edited.html");
const state = (page) => page.evaluate(() => document.documentElement.outerHTML.replace(/<div id="check"[^]*?<\/div>/, "").replace(/<p class="filter">[^]*?<\/p>/, "")
  // Spaces within the seal say nothing; any other change of it is named.
  .replace(/<script type="application\/json" id="seal">[^]*?<\/script>/, ""));
const asWritten = await open(join(folder, "japanese.html"), "as written", true);
const before = await state(asWritten);
await asWritten.close();
let named = 0, unseen = 0;
for (let count = 0; count < 200; count += 1) {
  const text = [...whole], at = random(text.length);
  const kind = random(4);
  if (kind === 0) text.splice(at, 1);
  else if (kind === 1) text.splice(at, 0, "x <\"9"[random(5)]);
  else if (kind === 2) text[at] = String.fromCharCode(33 + random(90));
  else { const other = random(text.length); [text[at], text[other]] = [text[other], text[at]]; }
  writeFileSync(edited, text.join(""));
  const page = await open(edited, `edit ${count}`, false);
  const says = await page.locator("#check.ok").count();
  if (says && await state(page) === before) unseen += 1;
  else if (says) faults.push(`edit ${count} at ${at}: the page says that it is unaltered`);
  else named += 1;
  await page.close();
}
rmSync(edited);
await browser.close();
console.log(`${looks} looks at pages; ${named} random edits named, ${unseen} that change nothing that is shown`);
if (faults.length) { console.error(faults.slice(0, 40).join("\n")); process.exit(1); }
