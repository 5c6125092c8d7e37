// What scripts that drive a browser have in common. NODE_MODULES names the folder with their packages.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_MODULES, "x.js"));

export const { chromium } = require("playwright-core");

/** The script of the accessibility checker. */
export const axe = require.resolve("axe-core/axe.min.js");

/** How Chromium is started: it asks nothing of any host by itself. */
export const options = {
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
};
