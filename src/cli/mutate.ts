import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MutationKind } from 'agent-machines/testing';
import { optionInvalid } from '../core/util/check-options.ts';
import { exitCodes } from './exit-codes.ts';
import type { MutantTask } from './mutant-hook.ts';
import { projectTestOf, runProjectTest, type TestRun } from './project-test.ts';
import { explore, mainUrl, type Promises, promisesOf } from './promises-of.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { breakAt, escapeControls, paint, print, printableJson, wrap } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { isFile, machinesOfFile } from './workflow-of-file.ts';

export interface MutateFlags {
  readonly json?: boolean;
  /** Shell command of the test. Default: the script `test` of package.json. */
  readonly test?: string;
  /** Least percentage of killed mutants for exit code 0. */
  readonly min: number;
  /** Number of tests that run at a time. */
  readonly concurrency: number;
  /** Seconds. Default: 10 times the duration of the test without a mutant, at least 20. */
  readonly timeLimit?: number;
}

interface Score {
  readonly workflow: string;
  readonly mutants: number;
  readonly killed: number;
  /** Number of killed mutants whose test was stopped at the time limit. */
  readonly late: number;
  readonly percent: number;
  /** Number of mutants that the package rejects without a test. They do not count. */
  readonly rejected: number;
  readonly survived: readonly { readonly mutant: string; readonly todo: string }[];
}

/**
 * Runs the test of a project once for each mutant of a module's workflows, and reports the mutants that the test does not detect. Exit
 * code 1 if it detects too few.
 *
 * @throws {UsageError} if the file has no workflow or the project has no test.
 * @throws {WorkflowError} `OPTION_INVALID` if the test fails without a mutant, or does not define the workflow.
 */
export async function mutate(word: string, flags: MutateFlags): Promise<number> {
  const { json = false, test: command, min, concurrency, timeLimit } = flags;
  if (!isFile(word)) throw new UsageError(`${word} is not a file. Give the file that exports your workflow.`);
  const [file = word] = word.split('#');
  const found = await machinesOfFile(word);
  const workflows = await Promise.all(found.map(({ name }) => promisesOf(`${file}#${name}`)));
  const project = projectTestOf(resolve(file), command);
  const scratch = mkdtempSync(join(tmpdir(), 'agent-machines-mutants-'));
  const stopping = stopOnSignal();
  let runs = 0;
  const main = mainUrl(resolve(file));
  const test: Test = (mutant, limitMs) => {
    const options = { scratch: join(scratch, String(runs++)), signal: stopping.signal, ...(limitMs === undefined ? {} : { limitMs }) };
    return runProjectTest(project, { main, ...(mutant ? { mutant } : {}) }, options);
  };
  try {
    const started = performance.now();
    await checkOriginals(workflows, project.command, test);
    const limitMs = timeLimit === undefined ? Math.max(20_000, 10 * (performance.now() - started)) : 1_000 * timeLimit;
    const scores: Score[] = [];
    for (const one of workflows) scores.push(await scoreOf(one, concurrency, (mutant) => test(mutant, limitMs)));
    const ok = scores.every(({ percent }) => percent >= min);
    if (json) print(printableJson({ file, ok, min, workflows: scores }));
    else for (const score of scores) printScore(score, min);
    return ok ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (stopping.signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    stopping.end();
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Test = (mutant?: MutantTask['mutant'], limitMs?: number) => Promise<TestRun>;

/** Runs the test without a mutant. */
async function checkOriginals(workflows: readonly Promises[], command: string, test: Test): Promise<void> {
  const { end, output, workflows: defined } = await test();
  if (end !== 'passed') {
    throw optionInvalid(
      `The test fails without a mutant: ${command}\n${output.trim()}`,
      'Make it pass first. A test that always fails detects no mutant.',
    );
  }
  const missing = workflows.find(({ workflow }) => !defined.has(workflow.id));
  if (missing) {
    throw optionInvalid(
      `The test does not define the workflow "${missing.workflow.id}": ${command}`,
      'Run this workflow in the test, in a Node process. Choose another one with FILE#NAME.',
    );
  }
}

async function scoreOf(one: Promises, concurrency: number, test: (mutant: MutantTask['mutant']) => Promise<TestRun>): Promise<Score> {
  const { workflow, kit } = one;
  const states = [...new Map(explore(one).states.map(({ state }) => [JSON.stringify(state), state])).values()];
  const all = [...kit.mutateMachine(workflow, { states })];
  const mutants = all.filter((mutant) => kit.lintWorkflow(mutant.workflow.machine).length === 0);
  const ends = new Map<string, TestRun>();
  const next = mutants.values();
  const tester = async (): Promise<void> => {
    for (const { description } of next) {
      ends.set(description, await test({ workflow: workflow.id, description, states }));
      if (process.stderr.isTTY) process.stderr.write(`\r${workflow.id}: ${ends.size} of ${mutants.length} mutants`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, tester));
  if (process.stderr.isTTY) process.stderr.write('\r\u{1b}[K');
  const survived = mutants.filter(({ description }) => ends.get(description)?.end === 'passed');
  return {
    workflow: workflow.id,
    mutants: mutants.length,
    killed: mutants.length - survived.length,
    late: [...ends.values()].filter(({ end }) => end === 'late').length,
    percent: mutants.length === 0 ? 100 : (100 * (mutants.length - survived.length)) / mutants.length,
    rejected: all.length - mutants.length,
    survived: survived.map(({ description, kind, edge }) => ({
      mutant: description,
      todo: ends.get(description)?.workflows.has(workflow.id)
        ? todoOf(kind, edge)
        : 'The test defines this workflow without this edge. Test the workflow as the file exports it.',
    })),
  };
}

/** Advice for a mutant that survived. */
function todoOf(kind: MutationKind, edge: string): string {
  const [, from = '', on = '', target = ''] = /^(.+?) --(.+?)(?: \[.+\])?--> (.+)$/.exec(edge) ?? [];
  const took = `took('${from}', '${on}')`;
  switch (kind) {
    case 'edge dropped':
      return `Test a run that must take ${edge}.`;
    case 'edge retargeted':
      return `Promise where it leads: never('…', ({ took, isIn }) => ${took} && !isIn('${target}')).`;
    case 'edges swapped':
      return `Test ${edge} in a state in which both guards hold.`;
    case 'guard dropped':
      return `Test ${edge} in a state in which its guard is false.`;
    case 'guard negated':
      return `Promise when it is taken: never('…', ({ took, isIn, state }) => ${took} && isIn('${target}') && …).`;
    case 'guard off by one':
      return `Test ${edge} with a number at the limit of its guard, and with the next one.`;
    case 'reducer dropped':
    case 'reducer keeps the old value':
    case 'reducer arguments swapped':
      return `Promise that nothing is lost: neverLoses('…', ['${edge.replace('reducer of ', '')}']).`;
    case 'event change dropped':
    case 'event change loses a key':
      return `Promise the state after the event: always('…', ({ took, state }) => !took('…', '${edge.replace('change by ', '')}') || …).`;
    case 'failure change dropped':
    case 'failure change loses a key':
      return "Promise the state after a failure: always('…', ({ edges, state }) => !edges.some(({ on }) => on === 'error') || …).";
    case 'timer longer':
      return `Test ${edge} with fakeClock: the timer has run out after this time.`;
    case 'region dropped':
      return `Test a run in which ${edge} must wait for this region.`;
    case 'output dropped':
    case 'output loses a key':
      return 'Test the output of a run.';
  }
}

function printScore({ workflow, mutants, killed, late, percent, rejected, survived }: Score, min: number): void {
  const columns = breakAt(process.stdout);
  const isEnough = percent >= min;
  const notes = [
    ...(late > 0 ? [`${late} of them at the time limit`] : []),
    ...(rejected > 0 ? [`lint rejects ${rejected} more`] : []),
    ...(isEnough ? [] : [`at least ${min} % are required`]),
  ];
  const mark = isEnough ? '✓' : paint('red', '✗');
  const sum = `${mark} ${workflow}: the test kills ${killed} of ${mutants} mutants (${percent.toFixed(1)} %)`;
  print(wrap([sum, ...notes].join('; '), columns, 2).join('\n'));
  for (const { mutant, todo } of survived) {
    print(wrap(`· survived: ${escapeControls(mutant)}`, columns, 4).join('\n'));
    print(wrap(`  ${escapeControls(todo)}`, columns, 4).join('\n'));
  }
}
