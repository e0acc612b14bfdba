import type { MemoryRecord } from '../agents/memory/index.ts';
import type { ListedRun, Runtime, Tool } from '../index.ts';
import { commandLine, type HintContext } from './error-hints.ts';
import { answerOf, questionOf } from './question-and-answer.ts';
import { stoppedRunLines } from './stopped-run-lines.ts';
import { breakAt, columnsOf, escapeControls, milliseconds, oneLine, print, printableJson, table, wrap } from './terminal.ts';
import { Timeline } from './timeline.ts';
import { viewOfRun } from './workflows.ts';

/** Prints runs, newest first. */
export async function printRuns(runtime: Runtime, records: readonly ListedRun[], json: boolean, context: HintContext): Promise<void> {
  if (json) {
    for (const record of records) print(printableJson(record));
    return;
  }
  if (records.length === 0) {
    const isEmpty = (await runtime.list({ limit: 1 })).length === 0;
    print(isEmpty ? noRuns(context) : `No run matches. All runs: ${commandLine('runs', context.dbFlag)}`);
    return;
  }
  const rows: string[][] = [['RUN', 'STATE', 'WORKFLOW', 'THREAD', 'STARTED', 'QUESTION']];
  for (const { id, state, workflow, version, missing, failure, threadId = '', startedAt } of records) {
    const { input } = await runtime.get(id);
    const shown = state === 'failed' && failure !== undefined ? `failed ${failure}` : state;
    rows.push([
      id,
      missing === undefined ? shown : `${shown}, needs ${workflow} ${version}`,
      workflow,
      threadId,
      timeOf(startedAt),
      oneLine(questionOf(input) ?? JSON.stringify(input)),
    ]);
  }
  print(table(rows, columnsOf(process.stdout)));
}

/** Message for a database without runs. */
export const noRuns = ({ dbFlag }: HintContext): string => `No runs yet. Start one: ${commandLine('run plan-execute "123 * 456"', dbFlag)}`;

/** Prints one run: its journal as a table, then its timeline and its answer. */
export async function printRun(runtime: Runtime, runId: string, json: boolean, context: HintContext): Promise<void> {
  const info = await runtime.get(runId);
  const entries = await runtime.history(runId);
  if (json) {
    print(printableJson({ ...info, journal: entries }));
    return;
  }
  const view = await viewOfRun(info.workflow);
  const { result } = info;
  const parts = [
    info.id,
    info.parked ? 'parked' : info.status,
    `${info.workflow} ${info.version}`,
    ...(info.threadId ? [`thread ${info.threadId}`] : []),
    timeOf(info.startedAt),
  ];
  print(wrap(escapeControls(parts.join('  ')), breakAt(process.stdout), 2).join('\n'));
  const begin = entries[0]?.at ?? 0;
  const rows = entries.map(({ seq, kind, key, at, outcome }) => [
    String(seq),
    `+${milliseconds(at - begin)}`,
    kind,
    key,
    JSON.stringify(outcome),
  ]);
  print(table([['#', 'AT', 'KIND', 'KEY', 'OUTCOME'], ...rows], columnsOf(process.stdout)));
  const patchOf = async (key: string) => entries.findLast((entry) => entry.kind === 'node' && entry.key === key)?.outcome;
  const timeline = new Timeline(view, patchOf, { ...context, runId });
  for (const event of entries.flatMap(({ events }) => events)) await timeline.show(event);
  timeline.finish(result && 'output' in result ? answerOf(result.output, view) : undefined);
  if (result?.status === 'failed') result.resumable ? timeline.failed(result.error) : timeline.stopped(result.error);
  else if (info.parked) timeline.failed(info.parked);
  for (const line of result ? stoppedRunLines(info.id, result, { ...view, ...context }) : []) timeline.note(line);
}

/** Prints the tools, with the reasons why some are unavailable. */
export function printTools(tools: readonly Tool[], json: boolean): void {
  if (json) {
    for (const { execute: _, ...tool } of tools) print(printableJson(tool));
    return;
  }
  const rows = tools.map(({ name, effect = 'once', risk = 'low', capabilities, unavailable }) => {
    const touches = capabilities
      ? Object.entries(capabilities).flatMap(([capability, has]) => (has ? [capability] : []))
      : ['private', 'untrusted', 'external'];
    return [unavailable === undefined ? 'yes' : 'no', name, effect, risk, touches.join(', ') || 'nothing', unavailable ?? ''];
  });
  const contents = [['USABLE', 'TOOL', 'EFFECT', 'RISK', 'TOUCHES', 'WHY NOT'], ...rows];
  print(table(contents, breakAt(process.stdout), 'wrap')); // reasons must not be cut
}

/** Prints the memories about a user. */
export function printMemories(memories: readonly MemoryRecord[], json: boolean): void {
  if (json) {
    for (const memory of memories) print(printableJson(memory));
    return;
  }
  if (memories.length === 0) print('No memories.');
  else {
    const rows = memories.map(({ id, kind, updatedAt, held, text }) => [id, kind, timeOf(updatedAt), held ? 'held' : 'in use', text]);
    print(table([['MEMORY', 'KIND', 'SINCE', 'STATUS', 'TEXT'], ...rows], columnsOf(process.stdout)));
  }
}

export const timeOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ');
