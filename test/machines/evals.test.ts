// The evals of the shipped workflows, without a model. `agent-machines eval test/machines/evals/NAME.eval.ts` shows their cases.
import { readdirSync } from 'node:fs';
import { type AnyEval, runEval } from 'agent-machines/evals';
import { entries } from 'agent-machines/machines';
import { describe, expect, it } from 'vitest';

const folder = 'test/machines/evals';

describe('the evals of the shipped workflows', () => {
  it('are there for each of them', () => {
    const there = readdirSync(folder).flatMap((file) => (file.endsWith('.eval.ts') ? [file.replace('.eval.ts', '')] : []));
    expect(there.sort()).toEqual(entries.map(({ name }) => name).sort());
  });

  it.each(entries.map(({ name }) => name))('%s reaches its thresholds on at least 30 cases', async (name) => {
    const { default: definition } = (await import(`./evals/${name}.eval.ts`)) as { readonly default: AnyEval };
    const { graders, rows } = await runEval(definition);
    expect(graders.filter(({ ok }) => !ok)).toEqual([]);
    expect(rows.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(new Set(rows.map((row) => row.case)).size).toBeGreaterThanOrEqual(30);
  });
});
