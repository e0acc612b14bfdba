import type { ErrorInfo } from '../../ports/error-info.ts';
import type { Json } from '../../ports/json.ts';
import type { CallInDoubt, Interrupt } from '../../ports/run-event.ts';
import type { RunStatus } from '../../ports/run-store.ts';
import type {
  ArticleName,
  Comparison,
  DocumentItem,
  Entry,
  OutlinePart,
  RunItem,
  ThreadDetails,
  ThreadItem,
  WaitingItem,
  WorkflowInfo,
} from './wire.ts';

// A page may be older or newer than its server: what is missing is empty, what is unknown is passed over.

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown, name: string): readonly Fields[] => {
  const list = Array.isArray(value) ? value : fieldsOf(value)[name];
  return Array.isArray(list) ? list.map(fieldsOf) : [];
};
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) || 0 : 0);
const optionalText = <TName extends string>(name: TName, value: unknown): { readonly [K in TName]?: string } =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as { [K in TName]: string }) : {};

export const readWorkflow = (value: Fields): WorkflowInfo => ({
  id: textOf(value.id),
  ...optionalText('version', value.version),
  ...optionalText('title', value.title),
  ...optionalText('description', value.description),
  ...optionalText('model', value.model),
  examples: Array.isArray(value.examples) ? value.examples.map(exampleOf).filter((text) => text !== '') : [],
});

const exampleOf = (value: unknown): string => {
  const { input, text, title } = fieldsOf(value);
  return textOf(value) || textOf(input) || textOf(fieldsOf(input).input) || textOf(text) || textOf(title);
};

export const readThreadItem = (value: Fields): ThreadItem => ({
  id: textOf(value.id),
  workflow: textOf(value.workflow),
  title: textOf(value.title) || textOf(value.id),
  updatedAt: numberOf(value.updatedAt),
  waiting:
    value.waiting === true ||
    (typeof value.waiting === 'number' && value.waiting > 0) ||
    value.status === 'waiting' ||
    value.status === 'in_doubt',
  ...(typeof value.status === 'string' ? { status: value.status as RunStatus } : {}),
});

export function readRun(value: Fields): RunItem {
  const result = fieldsOf(value.result);
  const output = value.output ?? result.output;
  const failure = failureOf(value) ?? failureOf(result);
  const status = (textOf(value.status) || 'running') as RunStatus;
  return {
    id: textOf(value.id) || textOf(value.runId),
    workflow: textOf(value.workflow),
    ...optionalText('version', value.version),
    ...optionalText('threadId', value.threadId),
    status,
    seq: numberOf(value.seq),
    startedAt: numberOf(value.startedAt),
    updatedAt: numberOf(value.updatedAt),
    ...(value.input === undefined ? {} : { input: value.input as Json }),
    ...(output === undefined ? {} : { output: output as Json }),
    ...(failure ? { failure } : {}),
    interrupts: interruptsOf(value.interrupts ?? result.interrupts),
    inDoubt: callsOf(value.inDoubt ?? value.calls ?? result.calls),
  };
}

function failureOf(value: Fields): ErrorInfo | undefined {
  for (const { code, message, hint, retryable } of [fieldsOf(value.error), fieldsOf(value.failure)]) {
    if (typeof code === 'string')
      return { name: 'WorkflowError', code, message: textOf(message), retryable: retryable === true, ...optionalText('hint', hint) };
  }
  return undefined;
}

const interruptsOf = (value: unknown): readonly Interrupt[] =>
  listOf(value, 'interrupts').map((one) => ({
    id: textOf(one.id),
    key: textOf(one.key),
    accepts: Array.isArray(one.accepts) ? one.accepts.map(textOf) : [],
    ...(one.question === undefined ? {} : { question: one.question as Json }),
  }));

const callsOf = (value: unknown): readonly CallInDoubt[] =>
  listOf(value, 'calls').map((one) => ({
    callId: textOf(one.callId),
    describe: (one.describe ?? null) as Json,
    startedAt: numberOf(one.startedAt),
    ownerMayLive: one.ownerMayLive === true,
  }));

/** One of a run's waits, or the run with all of them. */
export function readWaiting(value: Fields): WaitingItem {
  const run = fieldsOf(value.run);
  const one = value.interrupt === undefined ? (value.interrupts ?? run.interrupts) : [value.interrupt];
  const call = value.call === undefined ? (value.inDoubt ?? value.calls ?? run.inDoubt) : [value.call];
  return {
    runId: textOf(value.runId) || textOf(run.id) || textOf(value.id),
    workflow: textOf(value.workflow) || textOf(run.workflow),
    ...optionalText('threadId', value.threadId ?? run.threadId),
    since: numberOf(value.since ?? value.updatedAt ?? run.updatedAt ?? value.at),
    interrupts: interruptsOf(one),
    inDoubt: callsOf(call),
  };
}

export const readEntry = (value: Fields): Entry => ({
  seq: numberOf(value.seq),
  key: textOf(value.key),
  kind: textOf(value.kind) as Entry['kind'],
  outcome: (value.outcome ?? null) as Json,
  epoch: numberOf(value.epoch),
  at: numberOf(value.at),
  ...(Array.isArray(value.events) ? { events: value.events as Entry['events'] & object } : {}),
});

/** A run may have several lines: they become one. */
export function joinWaiting(items: readonly WaitingItem[]): readonly WaitingItem[] {
  const byRun = new Map<string, WaitingItem>();
  for (const item of items) {
    const known = byRun.get(item.runId);
    const joined = known && {
      ...known,
      interrupts: [...known.interrupts, ...item.interrupts],
      inDoubt: [...known.inDoubt, ...item.inDoubt],
    };
    byRun.set(item.runId, joined ?? item);
  }
  return [...byRun.values()].sort((a, b) => a.since - b.since);
}

export const readThread = (value: Fields): ThreadDetails => ({
  id: textOf(value.id),
  workflow: textOf(value.workflow),
  ...optionalText('title', value.title),
  runs: listOf(value.turns ?? value.runs, 'turns').map(readRun),
});

export const readDocument = (value: Fields): DocumentItem => ({
  id: textOf(value.id),
  name: textOf(value.name),
  addedAt: numberOf(value.addedAt),
  ...optionalText('title', value.title),
  ...(typeof value.pages === 'number' ? { pages: value.pages } : {}),
  outline: listOf(value.outline, 'outline').map((one) => readPart(one, textOf(value.text))),
  ...(value.facts === undefined ? {} : { facts: value.facts as Json }),
  notices: Array.isArray(value.notices)
    ? value.notices.map((one) => textOf(one) || textOf(fieldsOf(one).message) || textOf(fieldsOf(one).text))
    : [],
});

function readPart(value: Fields, whole: string): OutlinePart {
  const [label, title] = [textOf(value.label), textOf(value.title)];
  const text = whole.slice(numberOf(value.start), numberOf(value.end));
  return {
    id: textOf(value.id),
    label,
    title,
    chapter: textOf(value.chapter),
    deleted: value.deleted === true,
    ...optionalText('text', withoutHeading(text, label, title)),
  };
}

/** What stands below the heading, which is shown in a way of its own; a heading that is written in another way is left. */
function withoutHeading(text: string, label: string, title: string): string {
  const isHeading = (line: string): boolean =>
    /^[\s#*]*$/.test(
      line
        .replace(label, '')
        .replace(title, '')
        .replace(/[()[\]【】]/g, ''),
    );
  const [first = '', ...lines] = text.trim().split('\n');
  if (isHeading(first)) return lines.join('\n').trim();
  const bracketed = `${label}(${title})`;
  return title !== '' && first.startsWith(bracketed) ? text.trim().slice(bracketed.length).trim() : text.trim();
}

export const readComparison = (value: Fields): Comparison => ({
  pairs: listOf(value.pairs, 'pairs').map(({ userId, difference, redline }) => ({
    id: textOf(userId),
    isChanged: difference === 'changed',
    redline: listOf(redline, 'redline').map(({ kind, text }) => ({
      kind: kind === 'deleted' || kind === 'inserted' ? kind : 'same',
      text: textOf(text),
    })),
  })),
  missing: listOf(value.missing, 'missing').map(readName),
  added: listOf(value.added, 'added').map(readName),
});

const readName = ({ id, label, title }: Fields): ArticleName => ({ id: textOf(id), label: textOf(label), title: textOf(title) });
