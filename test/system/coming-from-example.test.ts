// docs/examples/coming-from: one program in four packages, each run with the real package, and shown whole in the guide.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { installLockedFolder } from '../../scripts/install-locked-folder.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const execute = promisify(execFile);
const folder = 'docs/examples/coming-from';
const guide = readFileSync('docs/guides/coming-from.md', 'utf8');
const peers = new URL('../../benchmarks/peers/', import.meta.url);

/** Runs a program. Those of other packages run beside their packages, where they find them. */
async function run(name: string): Promise<string> {
  if (name.endsWith('.ts')) return execute(process.execPath, ['--conditions=@agent-machines/source', resolve(folder, name)]).then(outputOf);
  installLockedFolder(peers);
  const copies = mkdtempSync(join(peers.pathname, 'node_modules/.coming-from-'));
  onTestFinished(() => rmSync(copies, { recursive: true, force: true }));
  for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(copies, file));
  return execute(process.execPath, [join(copies, name)]).then(outputOf);
}
const outputOf = ({ stdout }: { readonly stdout: string }): string => stdout;

describe('docs/examples/coming-from', () => {
  it.each([
    ['agent-machines.ts', 'Publish "Otters hold hands."?\nOtters hold hands.\n'],
    ['langgraph.js', 'Publish "Otters hold hands."?\nOtters hold hands.\n'],
    ['mastra.js', 'Publish "Otters hold hands."?\nOtters hold hands.\n'],
    ['ai-sdk.js', 'Publish "Otters hold hands."?\nIt is published.\n'],
    ['tool-agent.ts', /arguments: \{ text: 'Otters hold hands.' \}[\s\S]*\nIt is published.\n$/],
  ] as const)('%s asks, and publishes after the approval', async (name, printed) => {
    const source = readFileSync(join(folder, name), 'utf8');
    expect(guide).toContain(`\`\`\`${name.slice(-2)}\n${source}\`\`\``);
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(await run(name)).toMatch(printed);
  });
});
