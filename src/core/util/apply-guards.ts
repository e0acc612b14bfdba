import { WorkflowError } from '../errors/errors.ts';
import { redactSecrets } from '../errors/redact-secrets.ts';
import { shorten } from '../errors/shorten.ts';
import type { Json } from '../ports/json.ts';
import type { StreamEvent } from '../ports/run-event.ts';
import type { GuardBorder, GuardContext, GuardVerdict, TextGuard } from '../ports/text-guard.ts';
import { isObject } from './is-object.ts';
import { parseJson } from './parse-json.ts';
import { untilAborted } from './until-aborted.ts';

export type GuardEvent = Extract<StreamEvent, { readonly type: 'guard' }>;

/** Receives each verdict other than `pass`. */
export type TellVerdict = (event: GuardEvent) => unknown;

/** Text after all guards, and the guards that hold it. */
export interface Judged {
  readonly text: string;
  readonly heldBy: readonly string[];
}

/** Guards that check a border. */
export const guardsAt = (guards: readonly TextGuard[] | undefined, border: GuardBorder): readonly TextGuard[] =>
  guards?.filter(({ at }) => at.includes(border)) ?? [];

/**
 * Checks a text by all guards, left to right. A mask is the text of the next guard. The first stop wins, also over an earlier hold.
 *
 * @param isJson The text is JSON, and a mask must be.
 * @throws {WorkflowError} `GUARD_STOPPED`; `GUARD_FAILED` if a guard throws or returns no verdict.
 */
export async function judge(
  guards: readonly TextGuard[],
  text: string,
  context: GuardContext,
  tell: TellVerdict,
  isJson = false,
): Promise<Judged> {
  const run = new Judgement(text, context, tell, isJson);
  for (const guard of guards) {
    try {
      run.take(guard, await untilAborted((async () => guard.check(run.text, context))(), context.signal));
    } catch (thrown) {
      throw run.failed(guard, thrown);
    }
  }
  return run;
}

/** Checks a text at a border where nothing may wait. A guard that returns a promise has failed. */
function judgeNow(guards: readonly TextGuard[], text: string, context: GuardContext, tell: TellVerdict, isJson = false): Judged {
  const run = new Judgement(text, context, tell, isJson);
  for (const guard of guards) {
    try {
      run.take(guard, guard.check(run.text, context));
    } catch (thrown) {
      throw run.failed(guard, thrown);
    }
  }
  return run;
}

/**
 * Checks the texts of a JSON value: a string as it is, any other value as JSON text. A hold is an error.
 *
 * @throws {WorkflowError} `GUARD_HELD`, and the errors of `judge`.
 */
export function guardValueNow(guards: readonly TextGuard[], value: Json, context: GuardContext, tell: TellVerdict): Json {
  if (guards.length === 0 || !holdsText(value)) return value;
  const { text, isJson } = toText(value);
  return fromText(value, text, unheld(judgeNow(guards, text, context, tell, isJson), context.border).text);
}

/** As `guardValueNow`, for guards that may wait. Returns the guards that hold the value. */
export async function judgeValue(
  guards: readonly TextGuard[],
  value: Json,
  context: GuardContext,
  tell: TellVerdict,
): Promise<{ readonly value: Json; readonly heldBy: readonly string[] }> {
  if (guards.length === 0 || !holdsText(value)) return { value, heldBy: [] };
  const { text, isJson } = toText(value);
  const judged = await judge(guards, text, context, tell, isJson);
  return { value: fromText(value, text, judged.text), heldBy: judged.heldBy };
}

/** Context of a check of the input. Nothing waits for it, so nothing can abort it. */
export const inputContext: GuardContext = { border: 'input', signal: new AbortController().signal };

const holdsText = (value: Json): boolean => value !== null && typeof value !== 'boolean';

const toText = (value: Json): { readonly text: string; readonly isJson: boolean } =>
  typeof value === 'string' ? { text: value, isJson: false } : { text: JSON.stringify(value), isJson: true };

const fromText = (value: Json, before: string, after: string): Json =>
  before === after ? value : typeof value === 'string' ? after : (JSON.parse(after) as Json);

/** Returns what was judged. @throws {WorkflowError} `GUARD_HELD` if a guard holds it, where no human can decide. */
export function unheld<T extends Pick<Judged, 'heldBy'>>(judged: T, border: GuardBorder): T {
  const [guard] = judged.heldBy;
  if (guard === undefined) return judged;
  throw guardHeld(guard, border);
}

/** Checks one text against guards in order. */
class Judgement implements Judged {
  readonly #context: GuardContext;
  readonly #tell: TellVerdict;
  readonly #isJson: boolean;
  readonly heldBy: string[] = [];
  text: string;

  constructor(text: string, context: GuardContext, tell: TellVerdict, isJson: boolean) {
    this.text = text;
    this.#context = context;
    this.#tell = tell;
    this.#isJson = isJson;
  }

  take(guard: TextGuard, verdict: unknown): void {
    const { border, tool } = this.#context;
    if (!isVerdict(verdict) || (verdict.as === 'mask' && this.#isJson && parseJson(verdict.text) === undefined)) throw new VerdictInvalid();
    if (verdict.as === 'pass' || (verdict.as === 'mask' && verdict.text === this.text)) return;
    this.#tell(guardEvent(guard.name, border, verdict.as, verdict.reason, tool));
    if (verdict.as === 'mask') this.text = verdict.text;
    else if (verdict.as === 'hold') this.heldBy.push(guard.name);
    else throw new Refusal(guardStopped(guard.name, border));
  }

  failed(guard: TextGuard, thrown: unknown): unknown {
    return thrown instanceof Refusal ? thrown.error : failureOf(guard, this.#context, thrown, this.#tell);
  }
}

/** Carries the error of a stop, so that a guard cannot imitate one by throwing it. */
class Refusal {
  readonly error: WorkflowError;

  constructor(error: WorkflowError) {
    this.error = error;
  }
}

/** Error of a guard that throws: the reason of an abort, or `GUARD_FAILED`. */
export function failureOf(guard: TextGuard, { border, signal, tool }: GuardContext, thrown: unknown, tell: TellVerdict): unknown {
  if (signal.aborted) return signal.reason;
  const error = guardFailed(guard.name, border, thrown);
  tell(guardEvent(guard.name, border, 'failed', String(error.data?.error ?? ''), tool));
  return error;
}

/** A guard has returned no verdict, a promise where none is allowed, or a mask that is not JSON. */
export class VerdictInvalid extends Error {
  override readonly name = 'VerdictInvalid';
}

export function isVerdict(value: unknown): value is GuardVerdict {
  if (!isObject(value)) return false;
  const { as, text, reason } = value as Readonly<Record<string, unknown>>;
  if (as === 'pass') return true;
  if (as === 'mask') return typeof text === 'string' && (reason === undefined || typeof reason === 'string');
  return (as === 'hold' || as === 'stop') && typeof reason === 'string';
}

const maxReasonChars = 200;

/** Event of a verdict, without the text that it is about. */
export const guardEvent = (guard: string, border: GuardBorder, verdict: GuardEvent['verdict'], reason = '', tool?: string): GuardEvent => ({
  type: 'guard',
  guard,
  border,
  verdict,
  reason: shorten(redactSecrets(reason), maxReasonChars),
  ...(tool === undefined ? {} : { tool }),
});

const nouns: Readonly<Record<GuardBorder, string>> = {
  input: 'the input',
  request: 'a request to the model',
  'tool-call': 'a tool call',
  'tool-result': 'the result of a tool',
  answer: 'the answer',
};

export const guardStopped = (guard: string, border: GuardBorder): WorkflowError =>
  new WorkflowError({
    code: 'GUARD_STOPPED',
    message: `The guard "${guard}" stopped ${nouns[border]}.`,
    hint: 'See its reason in the events of the run. Send another text, or change the rule of the guard.',
    data: { guard, border },
  });

export const guardHeld = (guard: string, border: GuardBorder): WorkflowError =>
  new WorkflowError({
    code: 'GUARD_HELD',
    message: `The guard "${guard}" holds ${nouns[border]} for a human, and the workflow cannot ask one here.`,
    hint: 'See its reason in the events of the run. Let the guard stop or mask, or hold tool calls only, or final answers of tool-agent.',
    data: { guard, border },
  });

/** The message of the thrown error may quote the text, so only its name and code stay. `cause` is for the process alone. */
const guardFailed = (guard: string, border: GuardBorder, thrown: unknown): WorkflowError => {
  const error = describeThrown(thrown);
  return new WorkflowError({
    code: 'GUARD_FAILED',
    message: `The guard "${guard}" failed at ${nouns[border]} (${error}), so the text counts as not checked.`,
    hint: error === 'VerdictInvalid' ? verdictHint : 'Try again later, or correct the guard.',
    retryable: true,
    data: { guard, border, error },
    cause: thrown,
  });
};

const verdictHint =
  'Return { as: "pass" }, { as: "mask", text } or { as: "hold" | "stop", reason }. At `input`, do not return a promise. A mask of JSON must be JSON.';

/** Code or class of a thrown value; never its message. */
function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'no error';
  const { code } = thrown as { readonly code?: unknown };
  const name = typeof code === 'string' ? code : thrown.name;
  return /^\w{1,40}$/.test(name) ? name : 'Error';
}
