// Runs that versions of the package have left behind: each goes on to the end that it had, or is refused by name, for good.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { entries } from 'agent-machines/machines';
import { describe, expect, it } from 'vitest';
import { type CorpusRun, endOf, storeOf } from './corpus-run.ts';
import sums from './sums.json' with { type: 'json' };
import { corpusWorkflows } from './workflows.ts';

const here = new URL('./', import.meta.url);
const paths = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^\d.*\.json$/.test(path))
  .sort();
const read = (path: string): CorpusRun => JSON.parse(readFileSync(new URL(path, here), 'utf8')) as CorpusRun;

/** The machines of the package itself: a newer version of one refuses the runs of an older one by name. */
const shipped: ReadonlySet<string> = new Set(entries.map(({ name }) => name));

describe('the replay corpus', () => {
  it('is unchanged', () => {
    const found = paths.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(new URL(path, here)))
        .digest('hex'),
    ]);
    expect(Object.fromEntries(found)).toEqual(sums);
  });

  it('covers every machine', () => {
    const recorded = new Set(paths.map((path) => read(path).workflow));
    const expected = Object.keys(corpusWorkflows).filter((name) => recorded.has(name) || !shipped.has(name)); // a new one is not recorded yet
    expect([...recorded].sort()).toEqual(expected.sort());
  });

  it.each(paths)('resumes from %s, or rejects it by name', async (path) => {
    const file = read(path);
    const end = await endOf(file);
    const isOther = file.runs.at(-1)?.record.structure !== corpusWorkflows[file.workflow]?.().structureHash;
    if (shipped.has(file.workflow) && isOther) expect(end).toEqual({ refused: 'JOURNAL_OF_OTHER_MACHINE' });
    // what its nodes say may be worded otherwise by now
    else if (shipped.has(file.workflow))
      expect(end).toMatchObject('finalState' in file.end ? { finalState: file.end.finalState } : file.end);
    else expect(end).toEqual(file.end);
  });

  it.each(paths)('finds %s unchanged in a store', async (path) => {
    const { runs } = read(path);
    const store = await storeOf(read(path));
    for (const { record, entries } of runs) {
      expect(await store.journal(record.id)).toEqual(entries);
      expect(await store.read(record.id)).toMatchObject({ status: record.status, structure: record.structure, seq: record.seq });
    }
  });
});
