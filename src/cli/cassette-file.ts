import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CassetteMode, Tape } from 'agent-machines/evals';

/** A tape with its file. */
export interface Cassette {
  readonly path: string;
  readonly tape: Tape;
  /**
   * Writes what was recorded, at most once a second. The file is replaced as a whole, so that a process that dies leaves a complete one.
   * @param always Writes now.
   */
  save(always?: boolean): Promise<void>;
}

const shortestPauseMs = 1_000;

/** Path of the cassette of an eval: `sums.eval.ts` has `sums.eval.cassette.json`, and one more for each name of `--models`. */
export const cassettePath = (evalPath: string, model: string | undefined): string =>
  `${evalPath.replace(/\.[cm]?[jt]s$/, '')}${model === undefined ? '' : `.${encodeURIComponent(model)}`}.cassette.json`;

/** Opens the cassette beside an eval; a new one if there is no file. @throws {WorkflowError} `CASSETTE_INVALID`. */
export async function openCassette(
  evalPath: string,
  model: string | undefined,
  mode: CassetteMode,
  { createTape, printTape, readTape }: Pick<typeof import('../testing/evals/index.ts'), 'createTape' | 'printTape' | 'readTape'>,
): Promise<Cassette> {
  const path = cassettePath(evalPath, model);
  const tape = existsSync(path) ? readTape(await readFile(path, 'utf8'), basename(path)) : createTape();
  let savedAt = Number.NEGATIVE_INFINITY;
  let saving: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const draft = `${path}.${process.pid}.tmp`;
    try {
      await writeFile(draft, printTape(tape));
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  };
  return {
    path,
    tape,
    save(always = false) {
      if (mode === 'replay' || (!always && performance.now() - savedAt < shortestPauseMs)) return saving;
      savedAt = performance.now();
      saving = saving.then(write);
      return saving;
    },
  };
}
