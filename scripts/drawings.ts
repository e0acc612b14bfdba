// Draws the machines, and puts the drawings and the figures of the benchmarks into the READMEs. With --check it only reports what is out of date.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { layoutMachine, toGraph, toSvg } from 'agent-machines/inspect';
import { entries } from 'agent-machines/machines';
import type { AnyStateMachine } from 'xstate';
import { figures } from './figures.ts';
import { drawRooms } from './rooms.ts';

const graphs = new Map(await Promise.all(entries.map(async ({ name, load }) => [name, toGraph((await load()).draft().machine)] as const)));
graphs.set('blog', toGraph(await machineOfReadme()));
const files = [
  'README.md',
  ...entries.map(({ name }) => `machines/${name}/README.md`),
  'benchmarks/README.md',
  'docs/architecture.md',
  'docs/guides/scaling.md',
];
const folder = 'docs/drawings';
const block = /<!-- (drawing|figures|rooms): ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g;

const themes = ['light', 'dark'] as const;
const pictureOf = (name: string, theme: (typeof themes)[number]): string => `${folder}/${name}${theme === 'dark' ? '-dark' : ''}.svg`;

const graphOf = (name: string): ReturnType<typeof toGraph> => {
  const graph = graphs.get(name);
  if (!graph) throw new Error(`The workflow "${name}" does not exist.`);
  return graph;
};

/** One picture for light pages and one for dark ones, as a page in a folder names them. */
function draw(name: string, page: string): string {
  const graph = graphOf(name);
  const from = (theme: (typeof themes)[number]): string => relative(dirname(page), pictureOf(name, theme));
  const ends = graph.states.filter(({ kind, parent }) => kind === 'final' && parent === '').map(({ path }) => path);
  const alt = `${graph.id}: ${graph.states.length} states, from ${graph.initial} to ${ends.join(', ')}`;
  return `<picture>
<source media="(prefers-color-scheme: dark)" srcset="${from('dark')}">
<img alt="${alt}" src="${from('light')}" width="${layoutMachine(graph).width}">
</picture>`;
}

/** The machine that the first program of the README writes. A module, so that what is drawn is what runs. */
async function machineOfReadme(): Promise<AnyStateMachine> {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const [defining = ''] = program.split('\nconst runtime');
  const file = `docs/drawings/.readme-${process.pid}.ts`;
  writeFileSync(file, `${defining}\nexport { machine };\n`);
  try {
    return ((await import(resolve(file))) as { readonly machine: AnyStateMachine }).machine;
  } finally {
    rmSync(file);
  }
}

const made = new Map(
  [...graphs.keys()].flatMap((name) => themes.map((theme) => [pictureOf(name, theme), toSvg(graphOf(name), { theme })] as const)),
);
for (const file of files) {
  const text = readFileSync(file, 'utf8').replace(block, (_, kind: string, name: string) => {
    const rooms = (): string => `\`\`\`\n${drawRooms()}\n\`\`\``;
    const content = kind === 'drawing' ? draw(name, file) : kind === 'rooms' ? rooms() : figures(name, file);
    return `<!-- ${kind}: ${name} -->\n${content}\n<!-- /${kind} -->`;
  });
  made.set(file, text);
}

const stale = [...made].flatMap(([file, text]) => (existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [file]));
if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true });
  for (const file of stale) writeFileSync(file, made.get(file) ?? '');
}
if (stale.length === 0) console.log('The drawings and figures are up to date.');
else if (process.argv.includes('--check')) {
  console.error(`Drawings or figures are outdated in ${stale.join(', ')}. Run: npm run drawings`);
  process.exitCode = 1;
} else console.log(`Drawn: ${stale.join(', ')}.`);
