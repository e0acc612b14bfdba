// What a user's bundle pays for, minified and gzipped, against its budget.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const kernel = "export { defineState, defineWorkflow, createRuntime } from 'agent-machines';";
const gate = "export { parsePlan } from 'agent-machines/plan';";
const machine = (name: string, make: string): string =>
  `export { createRuntime } from 'agent-machines'; export { ${make} } from 'agent-machines/machines/${name}';`;

const budgets = [
  { name: 'kernel (defineWorkflow + createRuntime, xstate included)', code: kernel, kilobytes: 42 },
  { name: 'kernel and plan gate (parsePlan)', code: `${kernel} ${gate}`, kilobytes: 56 },
  {
    name: 'gate and executor (parsePlan + executePlan)',
    code: `${gate} export { executePlan } from 'agent-machines/executor';`,
    kilobytes: 23,
  },
  { name: 'machine plan-execute, with its runtime', code: machine('plan-execute', 'planExecute'), kilobytes: 121 },
  { name: 'machine contract-agent, with its runtime', code: machine('contract-agent', 'contractAgent'), kilobytes: 140 },
  { name: 'machine chat-agent, with its runtime', code: machine('chat-agent', 'chatAgent'), kilobytes: 124 },
  { name: 'machine tool-agent, with its runtime', code: machine('tool-agent', 'toolAgent'), kilobytes: 115 },
  { name: 'machine guide-agent, with its runtime', code: machine('guide-agent', 'guideAgent'), kilobytes: 122 },
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
