// Puts the drawings of the machines and the figures of the benchmarks into the READMEs; with --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnyWorkflow } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { toGraph, toMermaid } from 'agent-machines/inspect';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { figures } from './figures.ts';

const workflows: Readonly<Record<string, AnyWorkflow>> = {
  'plan-execute': planExecute(),
  'chat-agent': chatAgent(),
  'guide-agent': guideAgent({ knowledge: createKnowledgeBase([], []) }),
  'contract-agent': contractAgent({ contracts: [{ contract: parseContract({ name: 'none', text: '' }) }] }),
};
const files = ['README.md', ...Object.keys(workflows).map((name) => `machines/${name}/README.md`), 'benchmarks/README.md'];
const block = /<!-- (drawing|figures): ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g;

const draw = (name: string): string => {
  const workflow = workflows[name];
  if (!workflow) throw new Error(`There is no workflow "${name}" to draw.`);
  return `\`\`\`mermaid\n${toMermaid(toGraph(workflow.machine))}\`\`\``;
};

const stale = files.filter((file) => {
  const before = readFileSync(file, 'utf8');
  const after = before.replace(block, (_, kind: string, name: string) => {
    const made = kind === 'drawing' ? draw(name) : figures(name);
    return `<!-- ${kind}: ${name} -->\n${made}\n<!-- /${kind} -->`;
  });
  if (before === after) return false;
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  return true;
});
if (stale.length === 0) console.log('The drawings and figures are up to date.');
else if (process.argv.includes('--check')) {
  console.error(`Drawings or figures are old in ${stale.join(', ')}. Run: npm run drawings`);
  process.exitCode = 1;
} else console.log(`Drawn: ${stale.join(', ')}.`);
