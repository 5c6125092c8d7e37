#!/usr/bin/env node
// Starts the program, which npm has installed in the package of this platform.
"use strict";

const { spawn } = require("node:child_process");

const platform = `deepsearch-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "deepsearch.exe" : "deepsearch";

let program;
try {
  program = require.resolve(`${platform}/bin/${file}`);
} catch {
  console.error(`error: the package ${platform} is not installed: either there is none for this platform, or npm was told to leave out optional dependencies`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to the program too, which finishes what it has begun.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
