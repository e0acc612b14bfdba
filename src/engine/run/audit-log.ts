import { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { checkOptions, required, text } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { hash } from '../../core/util/hash.ts';
import { newId } from '../../core/util/ids.ts';
import { clockReady } from './store-clock.ts';

/** Actions that no journal records, so that they are kept as notes. */
export const loggedActions = [
  'cancel',
  'resume',
  'retry',
  'pause',
  'release',
  'migrate',
  'remove',
  'prune',
  'add',
  'trigger',
  'backfill',
] as const;

export type LoggedAction = (typeof loggedActions)[number];

/** Subject of an action. */
export interface AuditSubject {
  readonly action: LoggedAction;
  readonly runId?: string;
  readonly threadId?: string;
  /** Name of a schedule of the store. */
  readonly schedule?: string;
}

export const auditPrefix = 'audit ';
const maxChars = 200;
const timeDigits = 15;

/** Names are in the order of time. */
export const auditNote = (at: number, id: string): string => `${auditPrefix}${String(Math.round(at)).padStart(timeDigits, '0')} ${id}`;

let actions = 0;

/** Orders the actions of this process that begin in one millisecond. */
const nextPlace = (): string => String(actions++ % 1e6).padStart(6, '0');

/** @throws {WorkflowError} `OPTION_INVALID`. */
export function parseActor(given: Actor): Actor {
  checkOptions('as', given, {
    via: required({ what: 'a text that is not empty', is: (value) => typeof value === 'string' && value !== '' }),
    name: text,
    tenant: text,
    client: text,
  });
  const entries = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, shown(String(value))]]));
  return Object.freeze({ via: shown(given.via), ...Object.fromEntries(entries) });
}

/** Clients choose some of these texts. */
const shown = (text: string): string => text.slice(0, maxChars).toWellFormed().replace(/\p{C}/gu, ' ');

/** A client may choose the id of a conversation, so of a removed one only the hash stays. */
const keptSubject = ({ threadId, ...subject }: AuditSubject): AuditSubject => ({
  ...subject,
  ...(threadId === undefined ? {} : { threadId: subject.action === 'remove' ? hash(threadId) : threadId }),
});

/** Errors of requests that concern nothing in the store. They would fill the log. */
const emptyRequests = ['RUN_UNKNOWN', 'THREAD_UNKNOWN', 'SCHEDULE_UNKNOWN', 'ID_INVALID', 'OPTION_INVALID', 'RUNTIME_CLOSED'] as const;

/**
 * Records an action with its outcome: `begun`, then `done` or the code of its error. An action whose process dies stays `begun`.
 *
 * @param by Absent: nothing is recorded.
 * @param isAction False for a result that means that nothing was to be done: the record is removed.
 * @throws the error of the action; `STORE_UNAVAILABLE` before it, if it cannot be recorded.
 */
export async function audited<T>(
  { store, clock }: { readonly store: RunStore; readonly clock: Clock },
  by: Actor | undefined,
  subject: AuditSubject,
  act: () => Promise<T>,
  isAction: (result: T) => boolean = () => true,
): Promise<T> {
  const note = store.storage?.note?.bind(store.storage);
  if (!by || !note) return act();
  await clockReady(clock);
  const at = clock.now();
  const name = auditNote(at, `${nextPlace()} ${newId('a')}`);
  const write = async (outcome: string | undefined): Promise<void> => {
    await note(name, () => ({ text: outcome === undefined ? undefined : JSON.stringify({ at, ...keptSubject(subject), by, outcome }) }));
  };
  /** The action has happened, or not: it must not fail because of its record. */
  const finish = (outcome: string | undefined): Promise<void> => write(outcome).catch(() => {});
  await write('begun');
  try {
    const result = await act();
    await finish(isAction(result) ? 'done' : undefined);
    return result;
  } catch (cause) {
    await finish(hasCode(cause, ...emptyRequests) ? undefined : WorkflowError.isInstance(cause) ? cause.code : 'UNKNOWN');
    throw cause;
  }
}
