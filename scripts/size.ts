// Compares what a user's bundle costs, minified and gzipped, with the recorded figures. Arguments select figures by a part of their name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { entries } from 'agent-machines/machines';
import { rolldown } from 'rolldown';

const kernel = "export { defineState, defineWorkflow, createRuntime } from 'agent-machines';";
const gate = "export { parsePlan } from 'agent-machines/tools';";
/** A factory is named after its workflow: `plan-execute`, `planExecute`. */
const machine = (name: string): string => {
  const factory = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `export { createRuntime } from 'agent-machines'; export { ${factory} } from 'agent-machines/machines/${name}';`;
};

/** Recorded sizes of workflows with their runtime, in kilobytes. A workflow without a figure may have up to `maxKilobytes`. */
const machineFigures: Readonly<Record<string, number>> = {
  'plan-execute': 113,
  'contract-agent': 178,
  'chat-agent': 114.7,
  'tool-agent': 109.8,
  'guide-agent': 127.7,
};
const maxKilobytes = 95;

/** Recorded sizes. Update them in a commit that says why. */
const figures = [
  { name: 'kernel (defineWorkflow + createRuntime, xstate included)', code: kernel, kilobytes: 54.5 },
  { name: 'kernel and plan gate (parsePlan)', code: `${kernel} ${gate}`, kilobytes: 67.4 },
  {
    name: 'gate and executor (parsePlan + executePlan)',
    code: `${gate} export { executePlan } from 'agent-machines/tools';`,
    kilobytes: 28.2,
  },
  {
    name: 'driver with a state and its nodes, xstate included',
    code: "export { defineState, drive, engineOf, nodeLogic } from 'agent-machines/drive';",
    kilobytes: 19.4,
  },
  ...entries.map(({ name }) => ({
    name: `machine ${name}, with its runtime`,
    code: machine(name),
    kilobytes: machineFigures[name],
  })),
];

/** In percent, in both directions: smaller changes are noise. */
const tolerance = 10;

let moved = false;
/** @param more is appended to the line. */
function compare(name: string, measured: number, recorded: number | undefined, more = ''): void {
  if (recorded === undefined) {
    const fits = measured <= maxKilobytes;
    moved ||= !fits;
    console.log(`${fits ? '✓' : '✗'} ${name}: ${measured.toFixed(1)} kB, at most ${maxKilobytes}${more}`);
    return;
  }
  const change = (100 * (measured - recorded)) / recorded;
  const fits = Math.abs(change) <= tolerance;
  moved ||= !fits;
  const sign = change < 0 ? '' : '+';
  console.log(`${fits ? '✓' : '✗'} ${name}: ${measured.toFixed(1)} kB, recorded ${recorded} (${sign}${change.toFixed(1)} %)${more}`);
}

const asked = process.argv.slice(2);
const isAsked = (name: string): boolean => asked.length === 0 || asked.some((part) => name.includes(part));

for (const { name, code, kilobytes } of figures.filter((figure) => isAsked(figure.name))) {
  const { start, later } = await bundle(code);
  compare(name, start, kilobytes, later === 0 ? '' : `, and ${later.toFixed(1)} kB loaded later`);
}
if (isAsked('studio')) {
  const studio = readdirSync('dist/src/studio/page', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
    .reduce((sum, entry) => sum + gzipSync(readFileSync(join(entry.parentPath, entry.name)), { level: 9 }).length / 1000, 0);
  compare("the studio's whole page", studio, 260.4);
}
if (moved) {
  console.error(
    `A size has moved by more than ${tolerance} %. Find the cause, then update the figure in scripts/size.ts, with the reason in the commit.`,
  );
  process.exitCode = 1;
}

/** Bundles as Vite does. Dynamic imports are not part of the start. */
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
