import type { JsonObject, RunQuery, Runtime, Tool } from '../index.ts';
import type { MemoryRecord } from '../memory/index.ts';
import { columnsOf, escapeControls, milliseconds, oneLine, print, printableJson, table } from './terminal.ts';
import { Timeline } from './timeline.ts';
import { workflowOfRun } from './workflows.ts';

/** Runs, newest first. */
export async function printRuns(runtime: Runtime, query: RunQuery, json: boolean): Promise<void> {
  const records = await runtime.list(query);
  if (json) {
    for (const record of records) print(printableJson(record));
    return;
  }
  if (records.length === 0) {
    print('No runs yet. Start one: agent-machines run plan-execute "123 * 456"');
    return;
  }
  const rows: string[][] = [['RUN', 'STATUS', 'WORKFLOW', 'THREAD', 'STARTED', 'QUESTION']];
  for (const { id, status, workflow, version, missing, threadId = '', startedAt } of records) {
    const { input } = await runtime.get(id);
    const { input: asked, userMessage } = (input ?? {}) as JsonObject;
    const question = asked ?? userMessage;
    rows.push([
      id,
      missing === undefined ? status : `${status}, needs ${workflow} ${version}`,
      workflow,
      threadId,
      timeOf(startedAt),
      oneLine(typeof question === 'string' ? question : JSON.stringify(input)),
    ]);
  }
  print(table(rows, columnsOf(process.stdout)));
}

/** One run: its journal as a table, then its timeline and its answer. */
export async function printRun(runtime: Runtime, runId: string, json: boolean): Promise<void> {
  const info = await runtime.get(runId);
  const entries = await runtime.history(runId);
  if (json) {
    print(printableJson({ ...info, journal: entries }));
    return;
  }
  const workflow = workflowOfRun(info.workflow);
  print(
    escapeControls(
      `${info.id}  ${info.status}  ${info.workflow} ${info.version}${info.threadId ? `  thread ${info.threadId}` : ''}  ${timeOf(info.startedAt)}`,
    ),
  );
  const begin = entries[0]?.at ?? 0;
  const rows = entries.map(({ seq, kind, key, at, outcome }) => [
    String(seq),
    `+${milliseconds(at - begin)}`,
    kind,
    key,
    JSON.stringify(outcome),
  ]);
  print(table([['#', 'AT', 'KIND', 'KEY', 'OUTCOME'], ...rows], columnsOf(process.stdout)));
  const timeline = new Timeline(workflow, async (key) => entries.find((entry) => entry.kind === 'node' && entry.key === key)?.outcome);
  for (const event of entries.flatMap(({ events }) => events)) await timeline.show(event);
  timeline.finish(info.result?.status === 'done' ? workflow.answerOf(info.result.output) : undefined);
}

/** The tools, and why some cannot be used. */
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
  print(table([['USABLE', 'TOOL', 'EFFECT', 'RISK', 'TOUCHES', 'WHY NOT'], ...rows], Number.POSITIVE_INFINITY)); // a reason that is cut helps nobody
}

/** What is remembered of a user. */
export function printMemories(memories: readonly MemoryRecord[], json: boolean): void {
  if (json) {
    for (const memory of memories) print(printableJson(memory));
    return;
  }
  if (memories.length === 0) print('Nothing is remembered.');
  else {
    const rows = memories.map(({ id, kind, updatedAt, text }) => [id, kind, timeOf(updatedAt), text]);
    print(table([['MEMORY', 'KIND', 'SINCE', 'TEXT'], ...rows], columnsOf(process.stdout)));
  }
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ');
