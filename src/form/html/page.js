"use strict";
addEventListener("DOMContentLoaded", async () => {
  const check = document.getElementById("check"), say = check.dataset;
  const parts = new Map(), words = new Map();
  // The same form as `Read::form` of the program that wrote the page.
  const form = (element) => {
    let text = "\u0001" + element.localName, afterText = false;
    for (const one of [...element.attributes].map((one) => one.name + "=" + one.value).sort()) text += "\u0005" + one;
    for (const child of element.childNodes) {
      if (child.nodeType === 3) text += (afterText ? "" : "\u0002") + child.data;
      else if (child.nodeType === 8) text += "\u0003" + child.data;
      else if (child.nodeType === 1) text += child.id === "seal" ? "\u0004" : form(child);
      afterText = child.nodeType === 3;
    }
    text += "\u0006";
    const part = element.dataset.part;
    if (part === undefined) return text;
    parts.set(part, text);
    words.set(part, element.textContent);
    return "\u0007" + part;
  };
  const frame = form(document.documentElement);
  const seal = document.getElementById("seal");
  const kept = seal && seal.textContent;

  // Everything below changes the page, and comes after it was read.
  const notes = [...document.querySelectorAll(".note")], claims = [...document.querySelectorAll(".claim")];
  const notesOf = (claim) => notes.filter((note) => note.dataset.of === claim.id);
  const light = (claim, on) => { if (claim) for (const one of [claim, ...notesOf(claim)]) one.classList.toggle("lit", on); };
  const claimOf = (target) => {
    const note = target.closest && target.closest(".note");
    return note ? document.getElementById(note.dataset.of) : target.closest && target.closest(".claim");
  };
  for (const [begin, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    addEventListener(begin, (event) => light(claimOf(event.target), true));
    addEventListener(end, (event) => light(claimOf(event.target), false));
  }
  const cites = [...document.querySelectorAll(".cite")];
  addEventListener("keydown", (event) => {
    const at = cites.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at < 0 || !step || event.ctrlKey || event.altKey || event.metaKey) return;
    const next = cites[at + (document.dir === "rtl" && event.key.endsWith("t") ? -step : step)];
    if (next) { event.preventDefault(); next.focus(); }
  });

  const sources = [...document.querySelectorAll(".sources > li")];
  if (sources.length > 1) {
    const box = document.createElement("p"), label = document.createElement("label"), choice = document.createElement("select");
    box.className = "filter"; label.htmlFor = choice.id = "source"; label.textContent = say.filter;
    choice.append(new Option(say.all, ""));
    for (const one of sources) choice.append(new Option(one.id.slice(1) + " · " + one.querySelector("cite").textContent.slice(0, 80), one.id.slice(1)));
    choice.addEventListener("change", () => {
      for (const one of claims) one.classList.toggle("unlit", choice.value !== "" && !one.dataset.cites.split(" ").includes(choice.value));
      for (const one of notes) one.classList.toggle("unlit", choice.value !== "" && one.dataset.number !== choice.value);
    });
    box.append(label, choice);
    check.after(box);
  }

  if (!globalThis.crypto || !crypto.subtle) { check.textContent = say.uncheckable; return; }
  const hash = async (text) => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const kinds = say.parts.split("|"), places = { c: 0, e: 1, s: 2, h: 3, f: 4, b: 5, bundle: 6 };
  const told = (part) => {
    const letters = part.replace(/[0-9-]+$/, ""), number = part.slice(letters.length), kind = kinds[places[letters] ?? 7];
    const start = (words.get(part) || "").replace(/\s+/g, " ").trim().slice(0, 80);
    return kind + " " + number + (letters.length > 1 || !start ? "" : ": “" + start + "”");
  };
  const altered = [];
  let same = false, count = 0;
  try {
    const known = JSON.parse(kept);
    for (const [part, expected] of known.parts) {
      const text = parts.get(part);
      if (text === undefined || (await hash(text)).slice(0, 32) !== expected) altered.push(part);
    }
    const names = new Set(known.parts.map(([part]) => part));
    for (const part of parts.keys()) if (!names.has(part)) altered.push(part);
    same = (await hash(frame + "\n" + known.parts.map((one) => one.join(" ")).join("\n"))) === known.root;
    count = known.parts.length;
  } catch { same = false; }
  if (same && altered.length === 0 && count > 0) {
    check.textContent = say.intact.replace("{n}", count);
    check.classList.add("ok");
    return;
  }
  const list = document.createElement("ul");
  for (const part of altered.length ? altered : ["page"]) {
    const item = document.createElement("li");
    item.textContent = told(part);
    list.append(item);
  }
  check.textContent = say.altered;
  check.classList.add("bad");
  check.append(list);
});
