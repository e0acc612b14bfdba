import type { Interrupt } from '../ports/run-event.ts';
import type { HumanEvent } from '../runtime/host.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
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
}

const maxQuestionLength = 8_000;

/** The human's event; `undefined` when there is none: the human has refused to decide, or has given no decision that is one. */
export async function askHuman(
  elicit: Elicit,
  { runId, interrupt, notice, textFields }: AskedHuman,
  signal: AbortSignal,
): Promise<HumanEvent | undefined> {
  const { accepts, question } = interrupt;
  const shown =
    question === undefined
      ? []
      : [shorten(visibleText(typeof question === 'string' ? question : JSON.stringify(question, null, 2)), maxQuestionLength)];
  const message = [
    `The run ${runId} waits for your decision.`,
    ...shown,
    ...(notice === undefined ? [] : [`Your last answer was refused: ${notice}`]),
  ].join('\n\n');
  const requestedSchema = {
    type: 'object',
    properties: {
      decision: { type: 'string', title: 'Decision', enum: [...accepts] },
      details: { type: 'string', title: 'Details', description: 'If the decision needs more: your words, or a JSON object of its fields.' },
    },
    required: ['decision'],
  };
  const { action, content } = await elicit({ mode: 'form', message, requestedSchema }, signal);
  if (action !== 'accept' || !isObject(content)) return undefined;
  const { decision, details } = content;
  if (typeof decision !== 'string' || !accepts.includes(decision)) return undefined;
  return { ...fieldsOf(decision, typeof details === 'string' ? details.trim() : '', textFields), type: decision };
}

function fieldsOf(decision: string, details: string, textFields: Readonly<Record<string, string>>): Omit<HumanEvent, 'type'> {
  if (details === '') return {};
  try {
    const value: unknown = JSON.parse(details);
    if (isObject(value)) return value as Omit<HumanEvent, 'type'>;
  } catch {
    // words, then
  }
  return Object.hasOwn(textFields, decision) ? { [textFields[decision] ?? '']: details } : {};
}
