// What a user's bundle pays for, minified and gzipped, against its budget.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const kernel = "export { defineState, defineWorkflow, createRuntime } from 'agent-machines';";
const gate = "export { parsePlan } from 'agent-machines/plan';";
const machine = (name: string, make: string): string =>
  `export { createRuntime } from 'agent-machines'; export { ${make} } from 'agent-machines/machines/${name}';`;

const budgets = [
  { name: 'kernel (defineWorkflow + createRuntime, xstate included)', code: kernel, kilobytes: 49 },
  { name: 'kernel and plan gate (parsePlan)', code: `${kernel} ${gate}`, kilobytes: 62 },
  {
    name: 'gate and executor (parsePlan + executePlan)',
    code: `${gate} export { executePlan } from 'agent-machines/executor';`,
    kilobytes: 25.5,
  },
  { name: 'machine plan-execute, with its runtime', code: machine('plan-execute', 'planExecute'), kilobytes: 100.5 },
  { name: 'machine contract-agent, with its runtime', code: machine('contract-agent', 'contractAgent'), kilobytes: 149.5 },
  { name: 'machine chat-agent, with its runtime', code: machine('chat-agent', 'chatAgent'), kilobytes: 102.5 },
  { name: 'machine tool-agent, with its runtime', code: machine('tool-agent', 'toolAgent'), kilobytes: 96 },
  { name: 'machine guide-agent, with its runtime', code: machine('guide-agent', 'guideAgent'), kilobytes: 116.5 },
];

let over = false;
for (const { name, code, kilobytes } of budgets) {
  const { start, later } = await bundle(code);
  const fits = start <= kilobytes;
  over ||= !fits;
  const rest = later === 0 ? '' : `, ${later.toFixed(1)} kB more when they are needed: rules, and what they know`;
  console.log(`${fits ? '✓' : '✗'} ${name}: ${start.toFixed(1)} kB of ${kilobytes} kB${rest}`);
}
const studioKilobytes = 200;
const studio = readdirSync('dist/src/studio/page', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((sum, entry) => sum + gzipSync(readFileSync(join(entry.parentPath, entry.name)), { level: 9 }).length / 1000, 0);
over ||= studio > studioKilobytes;
console.log(`${studio <= studioKilobytes ? '✓' : '✗'} the studio's page, all of it: ${studio.toFixed(1)} kB of ${studioKilobytes} kB`);
if (over) process.exitCode = 1;

/** As Vite does it. What is imported when it is needed is no part of the start. */
async function bundle(code: string): Promise<{ readonly start: number; readonly later: number }> {
  const entry = `${process.cwd()}/entry.ts`;
  const bundler = await rolldown({
    input: entry,
    platform: 'browser', // a `node:` import would fail here
    resolve: { conditionNames: ['@agent-machines/source', 'module', 'import', 'browser', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
  });
  const { output } = await bundler.generate({ format: 'esm', minify: true });
  await bundler.close();
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk]] : [])));
  const started = new Set<string>();
  const visit = (file: string): void => {
    if (started.has(file)) return;
    started.add(file);
    for (const imported of chunks.get(file)?.imports ?? []) visit(imported);
  };
  for (const { fileName, isEntry } of chunks.values()) if (isEntry) visit(fileName);
  const sizes = { start: 0, later: 0 };
  for (const [file, chunk] of chunks) sizes[started.has(file) ? 'start' : 'later'] += gzipSync(chunk.code, { level: 9 }).length / 1000;
  return sizes;
}
