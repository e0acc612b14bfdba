import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import { type EntryKind, runStatuses } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hash } from '../../core/util/hash.ts';
import { assertId } from '../../core/util/ids.ts';
import { isObject } from '../../core/util/is-object.ts';
import { isPriority, maxPriority } from '../../core/util/is-priority.ts';
import { runDocumentInvalid } from '../../engine/store/store-errors.ts';
import { documentChecksum, entryChecksum, firstChecksum, type RunDocument, runDocumentFormat, runDocumentVersion } from './run-document.ts';

interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

const kinds: Readonly<Record<EntryKind, true>> = {
  start: true,
  settle: true,
  node: true,
  event: true,
  'timer-start': true,
  timer: true,
  intent: true,
  step: true,
  retry: true,
  limits: true,
  offer: true,
};

/** PostgreSQL stores no U+0000, and no database stores a lone surrogate. */
const text: Kind = {
  is: (value) => typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed(),
  what: 'not plain text',
};
const anyText: Kind = { is: (value) => typeof value === 'string', what: 'not text' };
const id: Kind = { is: isId, what: 'not an id' };
const count: Kind = { is: (value) => Number.isSafeInteger(value) && Number(value) >= 0, what: 'not a whole number of at least 0' };
const priority: Kind = { is: isPriority, what: `not a whole number from -${maxPriority} to ${maxPriority}` };
const number: Kind = { is: (value) => Number.isFinite(value), what: 'not a number' };
const object: Kind = { is: isObject, what: 'not an object' };
const list: Kind = { is: Array.isArray, what: 'not a list' };
const json: Kind = { is: (value) => value !== undefined, what: 'missing' };
const one = (...values: readonly unknown[]): Kind => ({ is: (value) => values.includes(value), what: `not one of ${values.join(', ')}` });
const optional = ({ is, what }: Kind): Kind => ({ is: (value) => value === undefined || is(value), what });

/** Checks only the fields of an event that a replay reads. */
function isEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, key, interrupt } = value;
  if (type === 'interrupt') return isObject(interrupt) && typeof interrupt.key === 'string';
  return typeof type === 'string' && (type !== 'node-start' || typeof key === 'string');
}

const documentFields = {
  format: one(runDocumentFormat),
  version: one(runDocumentVersion),
  snapshot: optional(one(true)),
  record: object,
  structure: optional(object),
  thread: optional(object),
  journal: list,
  checksum: anyText,
};
/** Other fields of a record are accepted unchecked. */
const recordFields = {
  id,
  workflow: text,
  version: text,
  structure: text,
  threadId: optional(id),
  priority: optional(priority),
  threadRevision: optional(count),
  status: one(...runStatuses),
  seq: count,
  epoch: count,
  crashes: count,
  activeMs: number,
  startedAt: number,
  updatedAt: number,
  wakeAt: optional(number),
  sleeps: optional(one(true)),
  failure: optional(text),
};
const outcomeFields = { outcome: object };
const threadFields = { id, workflow: text, revision: count, state: json, activeRun: optional(id), title: optional(anyText) };
const entryFields = {
  seq: count,
  key: anyText,
  kind: one(...Object.keys(kinds)),
  outcome: json,
  events: { is: (value: unknown) => Array.isArray(value) && value.every(isEvent), what: 'not a list of events' },
  epoch: count,
  at: number,
  checksum: anyText,
};

/**
 * Reads a run document and checks its shape, its checksums and that its parts belong together.
 *
 * @param given JSON text, or the parsed value.
 * @throws {WorkflowError} `RUN_DOCUMENT_INVALID`; `STORE_VERSION` for a document of a newer version.
 */
export async function checkRunDocument(given: unknown): Promise<RunDocument> {
  const document: unknown = plainJson(given);
  assertShape(document);
  await checkChecksums(document);
  checkParts(document);
  return document;
}

/** @throws {WorkflowError} `RUN_DOCUMENT_INVALID`, `STORE_VERSION`. */
function assertShape(value: unknown): asserts value is RunDocument {
  if (!isObject(value) || value.format !== runDocumentFormat) throw runDocumentInvalid('it has another format', 'format');
  if (Number.isSafeInteger(value.version) && Number(value.version) > runDocumentVersion) throw newer(Number(value.version));
  checkFields(value, documentFields, '', true);
  const { record, thread, journal } = value;
  checkFields(record, recordFields, 'record', false);
  if (thread !== undefined) checkFields(thread, threadFields, 'thread', true);
  for (const [index, entry] of (Array.isArray(journal) ? journal : []).entries()) {
    const place = `journal[${index}]`;
    checkFields(entry, entryFields, place, true);
    if (isObject(entry) && (entry.kind === 'node' || entry.kind === 'settle')) checkFields(entry, outcomeFields, place, false);
  }
}

/** Checks that the valid parts of a document belong together. */
function checkParts({ record, thread, structure, journal }: RunDocument): void {
  if (structure && hash(canonicalJson(structure)) !== record.structure)
    throw runDocumentInvalid('the structure does not match the record', 'structure');
  if (journal.length === 0 || journal.length !== record.seq)
    throw runDocumentInvalid(`the record counts ${record.seq} entries, but the journal has ${journal.length}`, 'journal');
  if (journal[0]?.kind !== 'start') throw runDocumentInvalid('the journal does not begin with a start entry', 'journal[0]');
  const isOwn = thread?.activeRun === undefined || thread.activeRun === record.id;
  if (thread?.id !== record.threadId || (thread && thread.workflow !== record.workflow) || !isOwn)
    throw runDocumentInvalid('the thread does not match the record', 'thread');
}

function plainJson(given: unknown): Json {
  try {
    // works on a private copy, so the checked value is the stored one
    return JSON.parse(typeof given === 'string' ? given.replace(/^\uFEFF/, '') : (JSON.stringify(given) ?? '')) as Json;
  } catch (cause) {
    throw runDocumentInvalid('it is not JSON', '', cause);
  }
}

function checkFields(value: unknown, fields: Readonly<Record<string, Kind>>, place: string, only: boolean): void {
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`);
  if (!isObject(value)) throw runDocumentInvalid(`${place} is not an object`, place);
  for (const [name, { is, what }] of Object.entries(fields)) {
    if (!is(value[name])) throw runDocumentInvalid(`${at(name)} is ${what}`, at(name));
  }
  const unknown = only ? Object.keys(value).find((name) => !Object.hasOwn(fields, name)) : undefined;
  if (unknown !== undefined) throw runDocumentInvalid(`${at(unknown)} is unknown`, at(unknown));
}

async function checkChecksums({ checksum, ...document }: RunDocument): Promise<void> {
  let before = firstChecksum(document.record.id);
  for (const [index, { checksum: said, ...entry }] of document.journal.entries()) {
    before = await entryChecksum(before, entry);
    if (said !== before || entry.seq !== index + 1)
      throw runDocumentInvalid(`entry ${index + 1} of its journal was changed or moved`, `journal[${index}]`);
  }
  if (checksum !== (await documentChecksum(document))) throw runDocumentInvalid('its content was changed', 'checksum');
}

function isId(value: unknown): boolean {
  try {
    assertId(value, 'run');
    return true;
  } catch {
    return false;
  }
}

const newer = (version: number): WorkflowError =>
  new WorkflowError({
    code: 'STORE_VERSION',
    message: 'The document of a run was written by a newer version.',
    hint: 'Update agent-machines.',
    data: { version, known: runDocumentVersion },
  });
