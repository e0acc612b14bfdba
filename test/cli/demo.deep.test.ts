import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

// CI runs the demo itself, too
it('shows everything that the demo announces', async () => {
  const child = spawn(process.execPath, ['--conditions=@agent-machines/source', 'scripts/demo.ts'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const missing = stdout.split('\n').filter((line) => line.includes('DID NOT HAPPEN'));
  expect([missing, code], stderr.slice(-2_000)).toEqual([[], 0]);
  expect(stdout).toContain('All checks passed');
});
