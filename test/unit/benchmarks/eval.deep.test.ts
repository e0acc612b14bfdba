import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('npm run eval without arguments prints its tables', () => {
  const printed = execFileSync(process.execPath, ['--conditions=@agent-machines/source', 'benchmarks/eval.ts'], { encoding: 'utf8' });
  expect(printed).toMatch(/^configurations\n +recall@1 +hit@1 [\s\S]*\nall signals, weighted \(default\) +0\.\d{3} /m);
});
