import { shorten } from '../../core/errors/shorten.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { visibleText } from '../../tools/mcp/visible-text.ts';
import type { EventForm } from './event-form.ts';

/** Sends a question to the client's user and returns the answer. */
export type Elicit = (
  params: { readonly mode: 'form'; readonly message: string; readonly requestedSchema: object },
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

export interface HumanQuestion {
  readonly runId: string;
  readonly interrupt: Interrupt;
  /** Error of the previous answer. */
  readonly notice: string | undefined;
  readonly textFields: Readonly<Record<string, string>>;
  /** Forms by event type, for the events that have one. */
  readonly forms: Readonly<Record<string, EventForm>>;
}

const maxQuestionLength = 8_000;

/** Asks the human for an event. Returns `undefined` when the human declines, or gives an invalid decision. */
export async function askHuman(
  elicit: Elicit,
  { runId, interrupt, notice, textFields, forms }: HumanQuestion,
  signal: AbortSignal,
): Promise<HumanEvent | undefined> {
  const { accepts, question } = interrupt;
  const whole = question === undefined ? '' : visibleText(typeof question === 'string' ? question : JSON.stringify(question, null, 2));
  const isCut = whole.length > maxQuestionLength;
  const message = [
    `The run ${runId} waits for your decision.`,
    ...(whole === '' ? [] : [shorten(whole, maxQuestionLength)]),
    ...(isCut ? [`This is only a part of the question, which has ${whole.length} characters. Look at the run before you agree.`] : []),
    ...(notice === undefined ? [] : [`Your last answer was refused: ${notice}`]),
  ].join('\n\n');
  // with only one possible event, the form has a field for each of its values
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
    details: { type: 'string', title: 'Details', description: 'Your words, or a JSON object of fields, if the decision needs them.' },
  },
  required: ['decision'],
});

function fieldsOf(decision: string, details: string, textFields: Readonly<Record<string, string>>): Omit<HumanEvent, 'type'> {
  if (details === '') return {};
  const fields = parseJson(details);
  if (isObject(fields)) return fields;
  // "yes, but …" is no approval: the run rejects unknown fields
  return { [(Object.hasOwn(textFields, decision) ? textFields[decision] : undefined) ?? 'details']: details };
}
