import type { Interrupt } from '../ports/run-event.ts';
import type { HumanEvent } from '../runtime/host.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
import type { EventForm } from './event-form.ts';
import { visibleText } from './visible-text.ts';

/** Asks a client for what its human says. */
export type Elicit = (
  params: { readonly mode: 'form'; readonly message: string; readonly requestedSchema: object },
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

export interface AskedHuman {
  readonly runId: string;
  readonly interrupt: Interrupt;
  /** What was wrong with the last answer. */
  readonly notice: string | undefined;
  readonly textFields: Readonly<Record<string, string>>;
  /** The form of an event, by its type, where it has one. */
  readonly forms: Readonly<Record<string, EventForm>>;
}

const maxQuestionLength = 8_000;

/** The human's event; `undefined` when there is none: the human has refused to decide, or has given no decision that is one. */
export async function askHuman(
  elicit: Elicit,
  { runId, interrupt, notice, textFields, forms }: AskedHuman,
  signal: AbortSignal,
): Promise<HumanEvent | undefined> {
  const { accepts, question } = interrupt;
  const whole = question === undefined ? '' : visibleText(typeof question === 'string' ? question : JSON.stringify(question, null, 2));
  const isCut = whole.length > maxQuestionLength;
  const message = [
    `The run ${runId} waits for your decision.`,
    ...(whole === '' ? [] : [shorten(whole, maxQuestionLength)]),
    ...(isCut
      ? [`This is not all that you decide about: the whole has ${whole.length} characters. Look at the run before you agree.`]
      : []),
    ...(notice === undefined ? [] : [`Your last answer was refused: ${notice}`]),
  ].join('\n\n');
  // where only one thing can be said, what it needs is asked for field by field
  const only = accepts.length === 1 ? accepts[0] : undefined;
  const form = only === undefined ? undefined : forms[only];
  const requestedSchema = form ?? decisionOf(accepts);
  const { action, content } = await elicit({ mode: 'form', message, requestedSchema }, signal);
  if (action !== 'accept' || !isObject(content)) return undefined;
  if (form && only !== undefined) {
    const filled = Object.entries(content).filter(([name]) => Object.hasOwn(form.properties, name));
    return { ...(Object.fromEntries(filled) as Omit<HumanEvent, 'type'>), type: only };
  }
  const { decision, details } = content;
  if (typeof decision !== 'string' || !accepts.includes(decision)) return undefined;
  return { ...fieldsOf(decision, typeof details === 'string' ? details.trim() : '', textFields), type: decision };
}

const decisionOf = (accepts: readonly string[]): object => ({
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', enum: [...accepts] },
    details: { type: 'string', title: 'Details', description: 'If the decision needs more: your words, or a JSON object of its fields.' },
  },
  required: ['decision'],
});

function fieldsOf(decision: string, details: string, textFields: Readonly<Record<string, string>>): Omit<HumanEvent, 'type'> {
  if (details === '') return {};
  try {
    const value: unknown = JSON.parse(details);
    if (isObject(value)) return value as Omit<HumanEvent, 'type'>;
  } catch {
    // words, then
  }
  // "yes, but …" is no yes: the run refuses what it does not know
  return { [(Object.hasOwn(textFields, decision) ? textFields[decision] : undefined) ?? 'details']: details };
}
