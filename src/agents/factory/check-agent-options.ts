import type { TextGuard } from '../../core/ports/text-guard.ts';
import {
  checkOptions,
  flag,
  fn,
  list,
  listOf,
  number,
  type OptionKind,
  object,
  objectWith,
  oneOf,
  required,
  text,
} from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { ModelOptions } from '../../models/models-by-task.ts';

/** Options of every agent. */
export interface AgentOptions<TTask extends string> extends ModelOptions<TTask> {
  /** Name of the workflow. Stored runs refer to it, so each distinct agent needs its own. @default the machine's id, such as `tool_agent` */
  readonly id?: string;
  /** IANA time zone of a run's dates and times. The run stores it, and a resume on another machine uses it. @default the machine's */
  readonly timeZone?: string;
  /** Guards of its texts, of `agent-machines/guards` or your own. They apply in this order. @default [] */
  readonly guards?: readonly TextGuard[];
}

/** Options of every agent that calls tools. */
export interface CallingAgentOptions<TTask extends string> extends AgentOptions<TTask> {
  /** Allows external tool calls although private data is in the thread. @default false */
  readonly allowEgress?: boolean;
  /** Hosts and recipients that external calls may reach without approval: `*.example.com`, `*@example.com`. @default [] */
  readonly allowTargets?: readonly string[];
  /** Treats the user's own words as private data, so external calls wait for approval. @default false */
  readonly privateInput?: boolean;
  /** Time limit of a human's answer, in milliseconds. After that, the question is repeated. Default: no limit. */
  readonly expiresInMs?: number | undefined;
}

/** Kinds of an agent's options, for `checkAgentOptions`. */
export const optionKinds: {
  readonly flag: OptionKind;
  readonly fn: OptionKind;
  readonly objectWith: typeof objectWith;
  readonly listOf: typeof listOf;
  readonly number: OptionKind;
  readonly object: OptionKind;
  readonly oneOf: typeof oneOf;
  readonly required: typeof required;
  readonly schema: OptionKind;
  readonly text: OptionKind;
  readonly textOrFunction: OptionKind;
  readonly tools: OptionKind;
} = {
  flag,
  fn,
  objectWith,
  listOf,
  number,
  object,
  oneOf,
  required,
  // some libraries make functions
  schema: { what: 'a Standard Schema', is: (value) => Object(value) === value && '~standard' in Object(value) },
  text,
  textOrFunction: { what: 'a text or a function', is: (value) => typeof value === 'string' || typeof value === 'function' },
  tools: listOf('tools', (value) => isObject(value) && typeof value.name === 'string' && typeof value.execute === 'function'),
};

const shared = {
  model: objectWith('a ChatModel', 'generate'),
  models: object,
  contextTokens: number,
  maxRepairs: number,
  advice: fn,
  id: text,
  timeZone: text,
  guards: list,
} as const;

const calling = {
  tools: optionKinds.tools,
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
