import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { readStart } from '../../engine/drive/start-entry.ts';
import { type ReplayEnd, replayRun } from '../../engine/replay/replay-run.ts';
import { type RunRecording, toRecording } from '../../engine/replay/run-recording.ts';
import { assertSameMachine } from '../../engine/replay/tape-host.ts';
import type { RunInfo } from '../../engine/run/runtime.ts';
import { readRun, type StoredRun } from '../../engine/run/stored-runs.ts';
import { threadStateAt } from '../../engine/run/thread-state.ts';
import type { ServedSpace } from './served-space.ts';
import type { WorkflowSource } from './served-workflow.ts';

/** Time limit for replaying the nodes on the recording, in milliseconds; then their recorded results are used. */
const patienceMs = 5_000;

export interface RunAsTestOptions {
  readonly space: ServedSpace;
  readonly info: RunInfo;
  /** The workflow, created with the settings of the run. */
  readonly workflow: AnyWorkflow;
}

/**
 * Writes a run as a vitest test. The run is replayed here first, so the test passes until the workflow's behavior changes.
 *
 * @throws {WorkflowError} `RUN_BUSY` for a run that does not rest, `JOURNAL_OF_OTHER_MACHINE`.
 */
export async function runAsTest({ space, info, workflow }: RunAsTestOptions): Promise<string> {
  const stored = await readRun(space.store, info.id);
  const { status } = stored.record;
  if (status === 'running' || status === 'queued') throw stillGoing(info.id);
  assertSameMachine(stored, workflow);
  const thread = readStart(info.id, stored.entries).thread ?? (await threadStateAt(space.store, space.clock, workflow, stored.record));
  const returned = toRecording({ ...stored, thread, nodes: 'returned' });
  const end = await replayRun(workflow, returned);
  const source = space.workflows.find((one) => one.workflow.id === info.workflow)?.source;
  const rerun = source && (await rerunOf({ stored, thread, end, source }));
  return testOf({ info, recording: rerun ?? returned, reruns: rerun !== undefined, end, source });
}

interface RerunOptions {
  readonly stored: StoredRun;
  readonly thread: Json | undefined;
  readonly end: ReplayEnd;
  readonly source: WorkflowSource;
}

/** Recording with which the nodes reach the same end when the test's code runs them; `undefined` when they do not. */
async function rerunOf({ stored, thread, end, source }: RerunOptions): Promise<RunRecording | undefined> {
  const recording = toRecording({ ...stored, thread, nodes: 'run' });
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, patienceMs);
  try {
    const again = await Promise.race([Promise.resolve(source.make()).then((made) => replayRun(made, recording)), tooLate]);
    return again && canonicalJson({ ...again }) === canonicalJson({ ...end }) ? recording : undefined;
  } catch {
    return undefined; // the workflow was created with more than the test's code has
  } finally {
    clearTimeout(timer);
  }
}

interface TestParts {
  readonly info: RunInfo;
  readonly recording: RunRecording;
  readonly reruns: boolean;
  readonly end: ReplayEnd;
  readonly source: WorkflowSource | undefined;
}

function testOf({ info, recording, reruns, end, source }: TestParts): string {
  const { id, workflow } = info;
  const imports = source?.imports ?? [`import { workflow } from './workflow.ts'; // ${oneLine(workflow)}: where your program has it`];
  const what = reruns
    ? 'Its nodes run again on the recorded replies and results, and call nothing else.'
    : 'Its nodes return their recorded outputs. The machine decides again.';
  return `// Replays the run ${id}. ${what}
${imports.join('\n')}
${importing('replayRun, type RunRecording', 'agent-machines/testing')}
${importing('expect, it', 'vitest')}

const recording: RunRecording = ${literal({ ...recording })};

it('replays the run ${id}', async () => {
  expect(await replayRun(${source?.expression ?? 'workflow'}, recording)).toEqual(${literal({ ...end }).replaceAll('\n', '\n  ')});
});
`;
}

const importing = (names: string, module: string): string => `import { ${names} } from '${module}';`;

const oneLine = (text: string): string => JSON.stringify(text);

/** Writes JSON as code. In an object literal, `__proto__` would set the prototype. */
function literal(value: object): string {
  const text = JSON.stringify(value, undefined, 2);
  return text.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(JSON.stringify(value))})` : text;
}

const stillGoing = (runId: string): WorkflowError =>
  new WorkflowError({ code: 'RUN_BUSY', message: `The run ${runId} is still active.`, hint: 'Wait until it rests.' });
