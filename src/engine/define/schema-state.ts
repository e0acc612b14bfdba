import type { EventObject, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { StandardResult, StandardSchema } from '../../core/ports/standard-schema.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { toJson } from '../../core/util/to-json.ts';
import { type EventDefinition, makeKit, type Reducers, type StateKit, type StateOptions } from './state.ts';
import type { StateChecks } from './state-checks.ts';
import type { WorkflowTypeError } from './workflow-type-error.ts';

/** A kit with an initial state, so that `defineMachine` needs no `context`. */
export interface SchemaKit<TState extends MachineContext, TInput, TEvent extends EventObject>
  extends StateKit<TState, TInput, Json, TEvent> {
  /** First state of a run, for a machine written out with `setup`: `context: ({ input }) => state.initial(input)`. */
  initial(input: TInput): TState;
}

/** Payload of an event with this schema; nothing without one. */
type PayloadOf<TSchema> = TSchema extends StandardSchema<infer TPayload> ? TPayload : unknown;

type RequiredKey<TGiven> = { [K in keyof TGiven]-?: object extends Pick<TGiven, K> ? never : K }[keyof TGiven] & string;

type SchemaEvent<TEvents> = { [K in keyof TEvents & string]: { readonly type: K } & PayloadOf<TEvents[K]> }[keyof TEvents & string];

/** Schemas of events; `null` for an event without payload. */
type EventSchemas = Readonly<Record<string, StandardSchema<object> | null>>;

type EventPatch<TState, TPayload> = (state: Readonly<TState>, event: TPayload) => Partial<TState>;

/** Patches under names that are not events. Their parameters keep their types, so that only the name is an error. */
type StrayPatches<TGiven extends string, TName, TState> = {
  readonly [K in TGiven]?: string extends K
    ? unknown
    : K extends TName
      ? unknown
      : EventPatch<TState, Readonly<Record<string, unknown>>> & WorkflowTypeError<`no event has the name '${K}'`>;
};

export interface SchemaStateOptions<TState, TKey extends string, TEvents> {
  /** Keys that a caller provides. Default: those without a default value. */
  readonly input?: readonly TKey[];
  readonly reducers?: Reducers<TState>;
  /** Patch of a failed node, on edges that merge. Default: none. */
  readonly onError?: (state: Readonly<TState>, error: ErrorInfo) => Partial<TState>;
  /** Events of a human: the schema of the payload, or `null` for none. */
  readonly events?: TEvents;
  /** Patch of an event, on edges that merge. Default: its payload, whose keys must be keys of the state. */
  readonly onEvent?: { readonly [K in keyof TEvents]?: EventPatch<TState, PayloadOf<TEvents[K]>> };
}

/**
 * Describes the state of a workflow by a schema, which provides its types, its initial values and the checks of inputs, patches and events.
 *
 * Values are stored as the schema parses them, for example trimmed. A patch that does not fit, or that makes the state invalid, fails its
 * node with `PATCH_INVALID`; an event with such a patch is rejected. An invalid input is rejected with `INPUT_INVALID` before a run exists.
 *
 * @param schema An object schema, for example of zod. The caller provides every key without a default value. Parsing a parsed value must
 * return it unchanged.
 * @throws {WorkflowError} `WORKFLOW_INVALID` for a schema without a JSON Schema, a key without a value, an event without keys; at the start
 * of a run for a schema that changes its own parsed values.
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
  TPatched extends string = never,
>(
  schema: StandardSchema<TState, TGiven>,
  options: SchemaStateOptions<TState, TKey, TEvents> & { readonly onEvent?: StrayPatches<TPatched, keyof TEvents, TState> } = {},
): SchemaKit<TState, Pick<TGiven, TKey>, SchemaEvent<TEvents>> {
  if (!isObject(options as unknown)) throw invalid('its options are not an object');
  const { input, reducers, onError } = options;
  const { properties, required } = membersOf(schema, 'the state');
  const given: readonly string[] = input ?? required;
  if (!Array.isArray(given)) throw invalid('"input" is not a list of keys');
  const [lacking] = required.filter((key) => !given.includes(key));
  if (lacking !== undefined) throw invalid(`"${lacking}" has no default value and is missing from "input"`);
  const [strange] = given.filter((key) => !properties.includes(key));
  if (strange !== undefined) throw invalid(`"input" names "${strange}", which is not a key of the state`);
  assertNames('reducers', reducers, properties);
  assertNames('onEvent', options.onEvent, Object.keys(options.events ?? {}));

  const initial = (value: unknown): TState => {
    const first = read(schema, value, inputInvalid);
    const absent = properties.find((key) => !Object.hasOwn(first, key));
    if (absent !== undefined)
      throw invalid(`"${absent}" has no initial value, so no node can set it. Give it a default value, such as null`);
    return first;
  };
  const kit = makeKit<TState, Pick<TGiven, TKey>, Json, SchemaEvent<TEvents>>(
    { ...({ reducers, onError } as StateOptions<MachineContext, EventObject>), events: eventsOf(options, properties) },
    {
      parseInput(value) {
        const others = Object.keys(Object(value)).filter((key) => !given.includes(key));
        if (others.length > 0) throw inputInvalid(`unknown key ${others.join(', ')} (known: ${given.join(', ')})`);
        const first = toJson(initial(value), 'input') as JsonObject;
        assertReadsAlike(schema, first);
        return first;
      },
      inputSchema() {
        const whole = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
        return { ...whole, properties: pick(whole.properties as JsonObject, given) as JsonObject, required: [...required] };
      },
      stateSchema: () => schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject,
      readPatch: patchReader(schema, properties, reducers),
      eventSchema: (type) => options.events?.[type]?.['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject | undefined,
    },
  );
  return { ...kit, initial };
}

/** Rejects functions under unknown names, for callers without types. */
function assertNames(option: string, functions: object | undefined, known: readonly string[]): void {
  for (const [name, part] of Object.entries(functions ?? {})) {
    if (!known.includes(name)) throw invalid(`"${option}" names "${name}", which does not exist`);
    if (part !== undefined && typeof part !== 'function') throw invalid(`"${name}" of "${option}" is not a function`);
  }
}

/** A resume parses the state again, and each patch with the rest of the state; that must change nothing. */
function assertReadsAlike(schema: StandardSchema<object>, state: JsonObject): void {
  const again = validate(schema, state);
  if (again.issues) throw invalid(`its schema rejects its own output (${issuesText(again)}), for example after a transform`);
  const read = toJson(again.value, 'input') as JsonObject;
  const other = Object.keys(state).find((key) => canonicalJson(read[key] ?? null) !== canonicalJson(state[key] ?? null));
  if (other !== undefined)
    throw invalid(`its schema changes its own output for "${other}" when it parses it again, for example in a transform`);
}

/** Parses a patch's keys. Rejects keys that do not fit, and a patch that makes the state invalid. */
function patchReader(
  schema: StandardSchema<object>,
  properties: readonly string[],
  reducers: object | undefined,
): StateChecks['readPatch'] {
  const reducerOf = new Map<string, (current: unknown, next: unknown) => unknown>(Object.entries(reducers ?? {}));
  return (patch, state) => {
    const known = Object.keys(patch).filter((key) => properties.includes(key));
    const beside = validate(schema, { ...state, ...patch });
    const own = beside.issues?.filter(({ path }) => known.includes(String(path?.[0]))) ?? [];
    if (own.length > 0) throw patchInvalid(own);
    const read = pick(beside.issues ? patch : (beside.value as Members), known);
    const reduced = known.filter((key) => reducerOf.get(key));
    const after = reduced.length > 0 ? validate(schema, { ...state, ...read, ...reduce(reduced, state, read) }) : beside;
    // a state that was invalid before is not this patch's fault
    if (after.issues && !validate(schema, state).issues) throw patchInvalid(after.issues);
    return toJson({ ...patch, ...read }, 'patch') as JsonObject;
  };

  function reduce(keys: readonly string[], state: Members, read: Members): Members {
    try {
      return Object.fromEntries(keys.map((key) => [key, reducerOf.get(key)?.(state[key], read[key])]));
    } catch {
      return {}; // the merge throws it again, with the reducer's name
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

const pick = (members: Members, keys: readonly string[]): Members => Object.fromEntries(keys.map((key) => [key, members[key]]));

type AnyEvents = Readonly<Record<string, EventDefinition<MachineContext, EventObject>>>;

function eventsOf<TState, TKey extends string, TEvents extends EventSchemas>(
  { events, onEvent }: SchemaStateOptions<TState, TKey, TEvents>,
  known: readonly string[],
): AnyEvents {
  const patches = new Map<string, EventDefinition<MachineContext, EventObject>['patch']>(Object.entries(onEvent ?? {}));
  return Object.fromEntries(
    Object.entries(events ?? {}).map(([type, schema]) => {
      const own = patches.get(type);
      if (!schema) return [type, own ? { patch: own } : {}];
      const other = own ? undefined : membersOf(schema, `the event ${type}`).properties.find((key) => !known.includes(key));
      if (other !== undefined)
        throw invalid(`the event ${type} has the field "${other}", which is not a key of the state. Handle the event in "onEvent"`);
      return [type, { schema, parse: parserOf(type, schema), patch: own ?? ((_state, event) => carriedBy(event)) }];
    }),
  );
}

const carriedBy = ({ type: _, ...carried }: EventObject): object => carried;

const parserOf = (type: string, schema: StandardSchema<object>) => {
  return (event: unknown): EventObject => {
    const carried = carriedBy(event as EventObject);
    const result = validate(schema, carried);
    if (!result.issues) {
      const others = Object.keys(carried).filter((key) => !Object.hasOwn(result.value, key));
      if (others.length > 0) throw new Error(`unknown field ${others.join(', ')}`);
      return { ...result.value, type };
    }
    if (result.issues.some(({ path }) => path?.[0] === 'type'))
      throw invalid(`the schema of the event ${type} has a field "type", which is reserved for its name`);
    throw new Error(issuesText(result) ?? 'it does not fit its schema');
  };
};

function membersOf(
  schema: StandardSchema<object>,
  of: string,
): { readonly properties: readonly string[]; readonly required: readonly string[] } {
  const standard: Partial<StandardSchema<object>['~standard']> | undefined = (schema as Partial<StandardSchema<object>> | null)?.[
    '~standard'
  ];
  if (!standard?.jsonSchema || !standard.validate)
    throw invalid(`the schema of ${of} has no JSON Schema. Use a schema library that exports one, such as zod 4.2`);
  try {
    const { type, properties, required } = standard.jsonSchema.input({ target: 'draft-2020-12' });
    if (type !== 'object') throw new TypeError('it is not an object');
    if (properties === undefined) throw new TypeError('it has no properties');
    return { properties: Object.keys(Object(properties)), required: (required ?? []) as readonly string[] };
  } catch (cause) {
    throw invalid(`the schema of ${of} is invalid (${messageOf(cause)})`);
  }
}

function read<T>(schema: StandardSchema<T>, value: unknown, refuse: (why: string) => Error): T {
  const result = validate(schema, value);
  if (result.issues) throw refuse(issuesText(result) ?? 'it does not fit its schema');
  return result.value;
}

function validate<T>(schema: StandardSchema<T>, value: unknown): StandardResult<T> {
  const result = schema['~standard'].validate(value);
  if ('then' in result) throw invalid('its schema is asynchronous. Use a synchronous schema');
  return result;
}

const invalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The state definition is invalid: ${why}.`,
    hint: 'Correct the call of schemaState.',
  });

const inputInvalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The input is invalid: ${why}.`,
    hint: 'Start the workflow with an input that fits its schema.',
  });

const patchInvalid = (issues: readonly object[]): WorkflowError =>
  new WorkflowError({
    code: 'PATCH_INVALID',
    message: `The patch does not fit the state: ${issuesText({ issues })}.`,
    hint: "Return values that fit the state's schema, or correct the schema.",
  });
