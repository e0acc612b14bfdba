// Puts the drawings of the machines into the READMEs; with --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnyWorkflow } from 'agent-machines';
import { toGraph, toMermaid } from 'agent-machines/inspect';
import { planExecute } from 'agent-machines/machines/plan-execute';

const workflows: Readonly<Record<string, AnyWorkflow>> = { 'plan-execute': planExecute() };
const files = ['README.md', 'machines/plan-execute/README.md'];
const block = /<!-- drawing: ([\w-]+) -->[\s\S]*?<!-- \/drawing -->/g;

const draw = (name: string): string => {
  const workflow = workflows[name];
  if (!workflow) throw new Error(`There is no workflow "${name}" to draw.`);
  return `<!-- drawing: ${name} -->\n\`\`\`mermaid\n${toMermaid(toGraph(workflow.machine))}\`\`\`\n<!-- /drawing -->`;
};

const stale = files.filter((file) => {
  const before = readFileSync(file, 'utf8');
  const after = before.replace(block, (_, name: string) => draw(name));
  if (before === after) return false;
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  return true;
});
if (stale.length === 0) console.log('The drawings are up to date.');
else if (process.argv.includes('--check')) {
  console.error(`Drawings differ from their machines in ${stale.join(', ')}. Run: npm run drawings`);
  process.exitCode = 1;
} else console.log(`Drawn: ${stale.join(', ')}.`);
