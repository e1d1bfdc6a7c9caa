#!/usr/bin/env node
// Starts the program that lies beside this file, or the one that BOWLINE_BIN names, in our place: its
// arguments, pipes, signals and exit code are ours.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = process.env.BOWLINE_BIN || join(__dirname, 'bowline');
if (!existsSync(program)) {
  console.error(`bowline: ${program} is missing; install the package again, or set BOWLINE_BIN.`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`bowline: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});

// Ctrl-C reaches the whole group by itself; what is sent to us alone is passed on.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}

child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
