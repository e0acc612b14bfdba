import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toJson } from '../../core/util/to-json.ts';

/** A recorded reply of a model, or result of a tool. */
export interface TapeEntry {
  /** Number of the repeat, from 0. */
  readonly repeat: number;
  /** Task of the request; `tool NAME` for a tool. */
  readonly task: string;
  /** SHA-256 of the canonical request, after secrets were removed. */
  readonly request: string;
  /** Hashes of the request's messages, which `messages` of the tape holds. */
  readonly messages: readonly string[];
  /** Hashes of the other fields of the request by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Absent when the call failed. */
  readonly reply?: Json;
  /** Lengths of the pieces in which the text arrived, if there were several. */
  readonly pieces?: readonly number[];
  readonly error?: ErrorInfo;
}

/** Traits of the recorded model, which decide how requests are built. */
export interface TapeModel {
  readonly name: string;
  readonly maxOutputTokens?: number;
}

/** A recording: the replies of each case. */
export interface Tape {
  /** Recorded models by label: `main` is that of the eval. */
  readonly models: Map<string, TapeModel>;
  /** Texts of messages by hash, cut to 4,000 characters: they explain a miss. */
  readonly messages: Map<string, string>;
  readonly cases: Map<string, readonly TapeEntry[]>;
}

/** Creates an empty tape for `cassetteModel`. */
export const createTape = (): Tape => ({ models: new Map(), messages: new Map(), cases: new Map() });

/** Returns the part of one run of a case, to record on it without changing the tape. */
export function sliceOfTape(tape: Tape, name: string, repeat: number): Tape {
  const entries = (tape.cases.get(name) ?? []).filter((entry) => entry.repeat === repeat);
  return { models: new Map(tape.models), messages: new Map(tape.messages), cases: new Map([[name, entries]]) };
}

/** Replaces the entries of one run of a case by those of its slice. */
export function adoptSlice(tape: Tape, slice: Tape, name: string, repeat: number): void {
  const others = (tape.cases.get(name) ?? []).filter((entry) => entry.repeat !== repeat);
  const entries = [...others, ...(slice.cases.get(name) ?? [])];
  if (entries.length > 0) tape.cases.set(name, entries);
  else tape.cases.delete(name);
  for (const [hash, text] of slice.messages) tape.messages.set(hash, text);
  for (const [label, model] of slice.models) tape.models.set(label, model);
}

/** Removes cases that the eval no longer has, and repeats that it no longer makes. */
export function pruneTape(tape: Tape, names: readonly string[], repeats: number): void {
  for (const [name, entries] of tape.cases) {
    const kept = names.includes(name) ? entries.filter(({ repeat }) => repeat < repeats) : [];
    if (kept.length === 0) tape.cases.delete(name);
    else tape.cases.set(name, kept);
  }
}

/** Writes a tape as JSON with sorted keys, so that versions compare line by line. Messages that no entry names are left out. */
export function printTape(tape: Tape): string {
  const sorted = [...tape.cases].sort(([a], [b]) => (a < b ? -1 : 1));
  const used = new Set(sorted.flatMap(([, entries]) => entries.flatMap(({ messages }) => messages)));
  const messages = [...tape.messages].filter(([hash]) => used.has(hash)).sort(([a], [b]) => (a < b ? -1 : 1));
  const whole = {
    cases: Object.fromEntries(sorted.map(([name, entries]) => [name, entries.toSorted(byPlace).map(printEntry)])),
    messages: Object.fromEntries(messages),
    models: Object.fromEntries(tape.models),
    version: 1,
  };
  return `${JSON.stringify(whole, sortedKeys, 1)}\n`;
}

/** By repeat and task; the order within a task is that of its requests. */
const byPlace = (a: TapeEntry, b: TapeEntry): number => a.repeat - b.repeat || (a.task === b.task ? 0 : a.task < b.task ? -1 : 1);

/** Lists become lines, so that a reply does not take a page. */
const printEntry = ({ messages, pieces, ...entry }: TapeEntry): object => ({
  ...entry,
  messages: messages.join(' '),
  ...(pieces ? { pieces: pieces.join(' ') } : {}),
});

function readEntry(value: unknown): TapeEntry | undefined {
  if (!isObject(value)) return undefined;
  const { repeat, task, request, messages, settings, reply, pieces, error } = value;
  if (typeof repeat !== 'number' || typeof task !== 'string' || typeof request !== 'string') return undefined;
  if (typeof messages !== 'string' || !isObject(settings) || (reply === undefined) === (error === undefined)) return undefined;
  return {
    repeat,
    task,
    request,
    messages: messages === '' ? [] : messages.split(' '),
    settings: Object.fromEntries(Object.entries(settings).map(([name, hash]) => [name, String(hash)])),
    ...(reply === undefined ? {} : { reply: toJson(reply, 'reply') }),
    ...(typeof pieces === 'string' ? { pieces: pieces.split(' ').map(Number) } : {}),
    ...(isError(error) ? { error } : {}),
  };
}

const isError = (value: unknown): value is ErrorInfo =>
  isObject(value) && typeof value.code === 'string' && typeof value.message === 'string';

const sortedKeys = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Reads the text of `printTape`. @param file name for the message. @throws {WorkflowError} `CASSETTE_INVALID`. */
export function readTape(text: string, file = 'The cassette'): Tape {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(file, messageOf(cause));
  }
  if (!isObject(value) || value.version !== 1) throw invalid(file, 'it is not a cassette of version 1');
  const { cases, messages = {}, models = {} } = value;
  if (!isObject(cases) || !isObject(messages) || !isObject(models)) throw invalid(file, 'it has no cases');
  const tape = createTape();
  for (const [label, model] of Object.entries(models)) {
    if (!isObject(model) || typeof model.name !== 'string') throw invalid(file, `the model "${label}" has no name`);
    const { name, maxOutputTokens } = model;
    tape.models.set(label, { name, ...(typeof maxOutputTokens === 'number' ? { maxOutputTokens } : {}) });
  }
  for (const [hash, message] of Object.entries(messages)) tape.messages.set(hash, String(message));
  for (const [name, entries] of Object.entries(cases)) {
    const read = Array.isArray(entries) ? entries.map(readEntry) : [undefined];
    if (read.includes(undefined)) throw invalid(file, `the case "${name}" is not a list of replies`);
    tape.cases.set(
      name,
      read.flatMap((entry) => entry ?? []),
    );
  }
  return tape;
}

const invalid = (file: string, why: string): WorkflowError =>
  new WorkflowError({
    code: 'CASSETTE_INVALID',
    message: `${file} cannot be read: ${why}.`,
    hint: 'Restore it from version control, or delete it and record again with --record.',
  });
