import type { EventObject, MachineContext } from 'xstate';
import { WorkflowError } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { StandardResult, StandardSchema } from '../ports/standard-schema.ts';
import { issuesText } from '../util/issues-text.ts';
import { type EventDefinition, makeKit, type Reducers, type StateKit, type StateOptions } from './state.ts';

/** A kit that knows the first state: `defineMachine` needs no `context`. */
export interface SchemaKit<TState extends MachineContext, TInput, TEvent extends EventObject>
  extends StateKit<TState, TInput, Json, TEvent> {
  /** The state that a run begins with, for a machine that is written out: `context: ({ input }) => state.initial(input)`. */
  initial(input: TInput): TState;
}

/** What an event of this schema carries; nothing when it has none. */
type PayloadOf<TSchema> = TSchema extends StandardSchema<infer TPayload> ? TPayload : unknown;

/** The keys of an input that have no default value. */
type RequiredKey<TGiven> = { [K in keyof TGiven]-?: object extends Pick<TGiven, K> ? never : K }[keyof TGiven] & string;

/** The events of a state with schemas. */
type SchemaEvent<TEvents> = { [K in keyof TEvents & string]: { readonly type: K } & PayloadOf<TEvents[K]> }[keyof TEvents & string];

/** Schemas of events; `null` for one that carries nothing. */
type EventSchemas = Readonly<Record<string, StandardSchema<object> | null>>;

export interface SchemaStateOptions<TState, TKey extends string, TEvents> {
  /** The keys that a caller gives. Default: those without a default value. */
  readonly input?: readonly TKey[];
  readonly reducers?: Reducers<TState>;
  /** The change that a failed node makes, on edges that merge. Default: none. */
  readonly onError?: (state: Readonly<TState>, error: ErrorInfo) => Partial<TState>;
  /** What a human may send: the schema of what it carries, or `null` for nothing. */
  readonly events?: TEvents;
  /** The change that an event makes, on edges that merge. Default: what it carries, whose keys are then keys of the state. */
  readonly onEvent?: { readonly [K in keyof TEvents]?: (state: Readonly<TState>, event: PayloadOf<TEvents[K]>) => Partial<TState> };
}

/**
 * Describes the state of a workflow by a schema, from which its types, its first values and the checks of inputs, patches and events come.
 *
 * A node whose patch does not fit fails with `PATCH_INVALID`; an input is refused with `INPUT_INVALID` before there is a run.
 *
 * @param schema An object, for example of zod: every key is given by the caller or has a default value.
 * @throws {WorkflowError} `WORKFLOW_INVALID` for a schema that JSON Schema cannot say, a key that nobody gives, an event that changes no key.
 * @example
 * const state = schemaState(z.object({ topic: z.string(), text: z.string().default('') }), {
 *   events: { APPROVE: null, EDIT: z.object({ text: z.string().min(1) }) },
 * });
 */
export function schemaState<
  TState extends MachineContext,
  TGiven extends object,
  TEvents extends EventSchemas = Readonly<Record<never, null>>,
  TKey extends keyof TGiven & string = RequiredKey<TGiven>,
>(
  schema: StandardSchema<TState, TGiven>,
  options: SchemaStateOptions<TState, TKey, TEvents> = {},
): SchemaKit<TState, Pick<TGiven, TKey>, SchemaEvent<TEvents>> {
  const { input, reducers, onError } = options;
  const { properties, required } = membersOf(schema, 'the state');
  const given: readonly string[] = input ?? required;
  const [lacking] = required.filter((key) => !given.includes(key));
  if (lacking !== undefined) throw invalid(`nobody gives "${lacking}", which has no default value`);
  const [strange] = given.filter((key) => !properties.includes(key));
  if (strange !== undefined) throw invalid(`"input" names "${strange}", which the state does not have`);

  const initial = (value: unknown): TState => {
    const first = read(schema, value, inputInvalid);
    const absent = properties.find((key) => !Object.hasOwn(first, key));
    if (absent !== undefined)
      throw invalid(`"${absent}" has no value at first, so that no node could set it; give it a default value, such as null`);
    return first;
  };
  const kit = makeKit<TState, Pick<TGiven, TKey>, Json, SchemaEvent<TEvents>>(
    { ...({ reducers, onError } as StateOptions<MachineContext, EventObject>), events: eventsOf(options, properties) },
    {
      parseInput(value) {
        const others = Object.keys(Object(value)).filter((key) => !given.includes(key));
        if (others.length > 0) throw inputInvalid(`${others.join(', ')}: not among what the workflow takes (${given.join(', ')})`);
        return initial(value);
      },
      checkPatch(patch, state) {
        const { issues = [] } = validate(schema, { ...state, ...patch });
        const own = issues.filter(({ path }) => Object.hasOwn(patch, String(path?.[0])));
        if (own.length > 0) throw patchInvalid(issuesText({ issues: own }) ?? '');
      },
    },
  );
  return { ...kit, initial };
}

type AnyEvents = Readonly<Record<string, EventDefinition<MachineContext, EventObject>>>;

function eventsOf<TState, TKey extends string, TEvents extends EventSchemas>(
  { events, onEvent }: SchemaStateOptions<TState, TKey, TEvents>,
  known: readonly string[],
): AnyEvents {
  const patches = (onEvent ?? {}) as Readonly<Record<string, EventDefinition<MachineContext, EventObject>['patch']>>;
  return Object.fromEntries(
    Object.entries(events ?? {}).map(([type, schema]) => {
      const own = patches[type];
      if (!schema) return [type, own ? { patch: own } : {}];
      const other = own ? undefined : membersOf(schema, `the event ${type}`).properties.find((key) => !known.includes(key));
      if (other !== undefined)
        throw invalid(`the event ${type} carries "${other}", which is no key of the state, and "onEvent" does not say what it changes`);
      return [type, { parse: parserOf(type, schema), patch: own ?? ((_state, event) => carriedBy(event)) }];
    }),
  );
}

const carriedBy = ({ type: _, ...carried }: EventObject): object => carried;

const parserOf = (type: string, schema: StandardSchema<object>) => {
  return (event: unknown): EventObject => {
    const carried = read(schema, carriedBy(event as EventObject), (why) => new Error(why));
    return { ...carried, type };
  };
};

/** The keys of an object's schema, and those among them that must be given. */
function membersOf(
  schema: StandardSchema<object>,
  of: string,
): { readonly properties: readonly string[]; readonly required: readonly string[] } {
  try {
    const { type, properties, required } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    if (type !== 'object') throw new TypeError('it is not an object');
    return { properties: Object.keys(Object(properties)), required: (required ?? []) as readonly string[] };
  } catch (cause) {
    throw invalid(`the schema of ${of} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function read<T>(schema: StandardSchema<T>, value: unknown, refuse: (why: string) => Error): T {
  const result = validate(schema, value);
  if (result.issues) throw refuse(issuesText(result) ?? 'it does not fit');
  return result.value;
}

function validate<T>(schema: StandardSchema<T>, value: unknown): StandardResult<T> {
  const result = schema['~standard'].validate(value);
  if ('then' in result) throw invalid('its schema answers with a promise, and a state is checked at once');
  return result;
}

const invalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The state cannot be described: ${why}.`,
    hint: 'Correct the call of schemaState.',
  });

const inputInvalid = (why: string): WorkflowError =>
  new WorkflowError({ code: 'INPUT_INVALID', message: `The input was refused: ${why}.`, hint: 'Start the workflow with what it takes.' });

const patchInvalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'PATCH_INVALID',
    message: `The node's patch does not fit the state: ${why}.`,
    hint: "Return what the state's schema says, or correct the schema.",
  });
