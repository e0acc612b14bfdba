import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';

/** Control of a field. `json` is for every value that has no control of its own. */
type Control = 'text' | 'area' | 'number' | 'date' | 'datetime-local' | 'email' | 'url' | 'flag' | 'choice' | 'checks' | 'lines' | 'json';

/** A field of an event that a human fills in. */
export interface FormField {
  /** Empty: the JSON object holds all fields of the event. */
  readonly key: string;
  readonly label: string;
  readonly help?: string;
  readonly isRequired: boolean;
  /** Sends `null` if nothing is written, because the schema needs the key. */
  readonly emptyIsNull: boolean;
  readonly control: Control;
  /** Values of `choice` and `checks`. */
  readonly options: readonly Json[];
  readonly schema: JsonObject;
  /** Text of the control before anybody writes: a value of the question or the default, empty if the control cannot show it. */
  readonly start: string;
  /** The value that `start` shows, sent as it is while the text is unchanged: a control may show less, such as a time without seconds. */
  readonly given?: Json;
}

/** An event that a question accepts. */
export interface FormEvent {
  readonly type: string;
  readonly label: string;
  /** At most one is `primary`; none if it is unclear which answer is meant. */
  readonly intent: 'primary' | 'other' | 'destructive';
  readonly fields: readonly FormField[];
  /** Required fields of which the schema allows one value only; they are sent without a control. */
  readonly constants: JsonObject;
}

/** Texts of the controls by the keys of the fields. */
export type FormTexts = Readonly<Record<string, string>>;

const refuses = /^(?:REJECT|CANCEL|DENY|DELETE|DISCARD|ABORT|STOP)/;
const agrees = /^(?:APPROVE|ACCEPT|CONFIRM|SUBMIT|ANSWER|CONTINUE|YES)/;
const rank = { primary: 0, other: 1, destructive: 2 };

/**
 * Events of a question in the order of their buttons: first the primary one, last the destructive ones.
 *
 * @param schemas JSON Schemas of the events by type. An event without one, or of any fields, has a single field for JSON.
 */
export function eventsOf(
  accepts: readonly string[],
  schemas: Readonly<Record<string, JsonObject>>,
  question: unknown,
): readonly FormEvent[] {
  const events = accepts.map((type): FormEvent => {
    const schema = own(schemas, type) ?? {};
    const { title, intent } = schema;
    const ofType = refuses.test(type) ? 'destructive' : 'other';
    return {
      type,
      label: typeof title === 'string' ? title : inWords(type),
      intent: intent === 'primary' || intent === 'destructive' ? intent : ofType,
      fields: isOpen(schema) ? [anyFields] : fieldsOf(schema, isObject(question) ? question : {}),
      constants: isOpen(schema) ? {} : constantsOf(schema),
    };
  });
  const others = events.filter(({ intent }) => intent === 'other');
  const agreed = others.find(({ type }) => agrees.test(type)) ?? (others.length === 1 ? others[0] : undefined);
  const hasPrimary = events.some(({ intent }) => intent === 'primary');
  return events
    .map((event) => (event === agreed && !hasPrimary ? { ...event, intent: 'primary' as const } : event))
    .sort((one, other) => rank[one.intent] - rank[other.intent]);
}

/** Keys come from schemas: one may be `constructor`. */
export function own<T>(members: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

/** All fields of an event at once, as JSON. */
const anyFields: FormField = {
  key: '',
  label: '',
  isRequired: false,
  emptyIsNull: false,
  control: 'json',
  options: [],
  schema: {},
  start: '',
};

const isOpen = ({ properties, additionalProperties, anyOf, oneOf }: JsonObject): boolean =>
  anyOf !== undefined ||
  oneOf !== undefined ||
  (additionalProperties !== false && Object.keys(isObject(properties) ? properties : {}).every((key) => key === 'type'));

/** Label of a key or an event: `payOn` is "Pay on". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function fieldsOf({ properties, required }: JsonObject, question: Readonly<Record<string, unknown>>): readonly FormField[] {
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, value]): readonly FormField[] => {
    const { schema, isNullable } = withoutNull(isObject(value) ? (value as JsonObject) : {});
    if (key === 'type' || schema.const !== undefined) return [];
    const given = (Object.hasOwn(question, key) ? (question[key] as Json) : undefined) ?? schema.default;
    const control = controlOf(schema, given);
    const { title, description } = schema;
    const options = optionsOf(control === 'checks' ? schema.items : schema);
    const start = given === undefined || given === null ? '' : textOf(control, options, given);
    return [
      {
        key,
        label: typeof title === 'string' ? title : inWords(key),
        ...(typeof description === 'string' ? { help: description } : {}),
        isRequired: names.includes(key) && schema.default === undefined && !isNullable,
        emptyIsNull: names.includes(key) && isNullable,
        control,
        options,
        schema,
        start,
        ...(start === '' || given === undefined ? {} : { given: control === 'datetime-local' ? inUtc(given) : given }),
      },
    ];
  });
}

function constantsOf({ properties, required }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([key, schema]): readonly (readonly [string, Json])[] =>
      key !== 'type' && names.includes(key) && isObject(schema) && schema.const !== undefined ? [[key, schema.const as Json]] : [],
    ),
  );
}

/** `anyOf: [T, null]` and `type: ['T', 'null']` are T that may be left out. */
function withoutNull(schema: JsonObject): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const { type } = schema;
  const [kind] = Array.isArray(type) && type.length === 2 && type.includes('null') ? type.filter((one) => one !== 'null') : [];
  if (kind !== undefined) return { schema: { ...schema, type: kind }, isNullable: true };
  const kinds = schema.anyOf ?? schema.oneOf;
  const [only, ...more] = Array.isArray(kinds) ? kinds.filter((kind) => !isObject(kind) || kind.type !== 'null') : [];
  if (!Array.isArray(kinds) || !isObject(only) || more.length > 0 || kinds.length === 1) return { schema, isNullable: false };
  const { title, description } = schema;
  const own = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  return { schema: { ...(only as JsonObject), ...own }, isNullable: true };
}

const formats: Readonly<Record<string, Control>> = { date: 'date', 'date-time': 'datetime-local', email: 'email', uri: 'url', url: 'url' };
const longText = 120;

/** @param given Value that the control begins with. One line cannot show two. */
function controlOf(schema: JsonObject, given?: Json): Control {
  const { type, format, maxLength, items } = schema;
  if (optionsOf(schema).length > 0) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string')
    return formats[String(format)] ?? (Number(maxLength ?? 0) > longText || /\n/.test(String(given)) ? 'area' : 'text');
  if (type !== 'array' || !isObject(items)) return 'json';
  if (optionsOf(items as JsonObject).length > 0) return 'checks';
  return items.type === 'string' ? 'lines' : 'json';
}

const optionsOf = (schema: Json | undefined): readonly Json[] => (isObject(schema) && Array.isArray(schema.enum) ? schema.enum : []);

/** The text that a control shows for a value; empty for a value of another kind. */
function textOf(control: Control, options: readonly Json[], value: Json): string {
  switch (control) {
    case 'json':
      return asText(value);
    case 'choice':
      return hasOption(options, value) ? asText(value) : '';
    case 'checks':
      return Array.isArray(value) && value.every((one) => hasOption(options, one)) ? asText(value) : '';
    case 'lines':
      return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('\n') : '';
    case 'flag':
      return typeof value === 'boolean' ? String(value) : '';
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'datetime-local':
      return localTime(value);
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : '';
    default:
      return typeof value === 'string' ? value : '';
  }
}

/** Value of `choice`, `checks` and `json` as the text of their control. */
export const asText = (value: Json): string => JSON.stringify(value, null, 2);

const hasOption = (options: readonly Json[], value: Json): boolean => options.some((option) => asText(option) === asText(value));

/** The control has no zone: it shows the reader's time, down to the minute. */
function localTime(value: Json): string {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) return '';
  const two = (part: number): string => String(part).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Most schemas of a time want UTC. */
const inUtc = (value: Json): Json => (typeof value !== 'string' || value.endsWith('Z') ? value : new Date(value).toISOString());

/** Reason for which a field cannot be sent. */
export type FieldProblem = 'missing' | 'notJson' | 'notNumber';

/** Fields of an event as they are sent, or what is wrong with them, by key. The server's schema decides about everything else. */
export type FormResult = { readonly fields: JsonObject } | { readonly problems: Readonly<Record<string, FieldProblem>> };

/** Reads what a human has written. An empty field is left out. */
export function readForm(fields: readonly FormField[], texts: FormTexts): FormResult {
  const values: [string, Json][] = [];
  const problems: [string, FieldProblem][] = [];
  for (const field of fields) {
    const text = own(texts, field.key) ?? field.start;
    const read = field.emptyIsNull && text.trim() === '' ? { value: null } : readField(field, text);
    if (read === undefined) continue;
    if ('value' in read && field.key !== '') values.push([field.key, read.value]);
    else if ('value' in read && isObject(read.value)) values.push(...Object.entries(read.value as JsonObject));
    else if ('value' in read) problems.push([field.key, 'notJson']);
    else problems.push([field.key, read.problem]);
  }
  return problems.length > 0 ? { problems: Object.fromEntries(problems) } : { fields: Object.fromEntries(values) };
}

type Read = { readonly value: Json } | { readonly problem: FieldProblem } | undefined;

function readField({ control, isRequired, schema, start, given }: FormField, text: string): Read {
  if (given !== undefined && text === start) return { value: given };
  // an untouched checkbox means false
  if (control === 'flag') return isRequired || text !== '' ? { value: text === 'true' } : undefined;
  if (control === 'checks' && text === '') return isRequired ? { value: [] } : undefined;
  if (control === 'lines') return linesOf(text, isRequired);
  if (text.trim() === '') return isRequired ? { problem: 'missing' } : undefined;
  if (control === 'number') {
    const value = Number(text);
    // JSON would round it: an id of 17 digits becomes another one
    const isRounded = /^\s*[-+]?\d+\s*$/.test(text) && !Number.isSafeInteger(value);
    return Number.isFinite(value) && !isRounded ? { value } : { problem: 'notNumber' };
  }
  if (control === 'choice' || control === 'checks' || control === 'json') {
    const value = parseJson(text) as Json | undefined;
    return value === undefined ? { problem: 'notJson' } : { value };
  }
  // the control gives a time without a zone
  if (control === 'datetime-local' && schema.format === 'date-time') return timeOf(text);
  return { value: text };
}

function linesOf(text: string, isRequired: boolean): Read {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  return lines.length > 0 || isRequired ? { value: lines } : undefined;
}

function timeOf(text: string): Read {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? { problem: 'missing' } : { value: time.toISOString() };
}
