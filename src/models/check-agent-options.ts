import {
  checkOptions,
  flag,
  fn,
  having,
  list,
  listOf,
  number,
  type OptionKind,
  object,
  oneOf,
  required,
  text,
} from '../core/util/check-options.ts';
import { isObject } from '../core/util/is-object.ts';

/** Kinds of an agent's options, for `checkAgentOptions`. */
export const optionKinds: {
  readonly flag: OptionKind;
  readonly having: typeof having;
  readonly listOf: typeof listOf;
  readonly number: OptionKind;
  readonly object: OptionKind;
  readonly oneOf: typeof oneOf;
  readonly required: typeof required;
  readonly text: OptionKind;
} = { flag, having, listOf, number, object, oneOf, required, text };

/** Options that every agent takes. */
const shared = {
  model: having('a ChatModel', 'generate'),
  models: object,
  contextTokens: number,
  maxRepairs: number,
  advice: fn,
  id: text,
  timeZone: text,
} as const;

/** Options of every agent that calls tools. */
const calling = {
  tools: listOf('tools', (value) => isObject(value) && typeof value.name === 'string' && typeof value.execute === 'function'),
  allowEgress: flag,
  allowTargets: list,
  privateInput: flag,
  expiresInMs: number,
} as const;

/**
 * Refuses options of an agent that are misspelt or of another type, before the agent reads them: `allowEgress: 'no'` grants nothing.
 *
 * @param own Kinds of the agent's own options.
 * @param given.callsTools Adds the options of agents that call tools. @default false
 * @throws {WorkflowError} `OPTION_INVALID` with the option's name.
 * @example
 * checkAgentOptions('seller', options, { shop: optionKinds.required(optionKinds.text) }, { callsTools: true });
 */
export function checkAgentOptions(
  agent: string,
  options: unknown,
  own: Readonly<Record<string, OptionKind>>,
  { callsTools = false }: { readonly callsTools?: boolean } = {},
): void {
  checkOptions(agent, options, { ...shared, ...(callsTools ? calling : {}), ...own });
}
