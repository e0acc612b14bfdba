// What a user's bundle pays for, minified and gzipped, against its budget.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const budgets = [
  {
    name: 'kernel (defineWorkflow + createRuntime, xstate included)',
    code: "export { defineState, defineWorkflow, createRuntime } from 'agent-machines'",
    kilobytes: 42,
  },
  {
    name: 'gate and executor (parsePlan + executePlan)',
    code: "export { parsePlan } from 'agent-machines/plan'; export { executePlan } from 'agent-machines/executor'",
    kilobytes: 23,
  },
];

let over = false;
for (const { name, code, kilobytes } of budgets) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser', // a `node:` import would fail here
    conditions: ['@agent-machines/source', 'module'], // `module`, as bundlers do: without it XState comes as CommonJS, whole
    write: false,
  });
  const size = gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length / 1000;
  const fits = size <= kilobytes;
  over ||= !fits;
  console.log(`${fits ? '✓' : '✗'} ${name}: ${size.toFixed(1)} kB of ${kilobytes} kB`);
}
if (over) process.exitCode = 1;
