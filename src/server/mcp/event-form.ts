import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Elicitation form that a client shows to a human. */
export interface EventForm extends Record<string, unknown> {
  readonly type: 'object';
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Field keywords that the protocol supports, by field type. */
const fieldKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'default', 'enum', 'enumNames'],
  number: ['minimum', 'maximum', 'default'],
  integer: ['minimum', 'maximum', 'default'],
  boolean: ['default'],
};
const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/**
 * Converts an event's schema to a form. Returns `undefined` when the event has no fields, or a field that is not a text, number, boolean or
 * choice of texts (one or several).
 *
 * @param schema Schema of the event, including its `type`.
 */
export function eventForm(schema: JsonObject | undefined): EventForm | undefined {
  if (!isObject(schema?.properties)) return undefined;
  const { type: _, ...fields } = schema.properties as JsonObject;
  const properties: Record<string, Json> = {};
  for (const [name, field] of Object.entries(fields)) {
    const shown = isObject(field) ? formField(field as JsonObject) : undefined;
    if (!shown) return undefined;
    properties[name] = shown;
  }
  if (Object.keys(properties).length === 0) return undefined;
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string' && name !== 'type') : [];
  return { type: 'object', properties, required: required as readonly string[] };
}

function formField(field: JsonObject): JsonObject | undefined {
  const titled = titledChoices(field.oneOf ?? field.anyOf);
  if (titled) return { type: 'string', ...pick(field, ['title', 'description', 'default']), oneOf: titled };
  if (field.type === 'array') return multiChoice(field);
  const names = typeof field.type === 'string' && Object.hasOwn(fieldKeywords, field.type) ? fieldKeywords[field.type] : undefined;
  if (!names || (field.enum !== undefined && !areTexts(field.enum))) return undefined;
  const more = formats.includes(field.format) ? ['format'] : [];
  return pick(field, ['type', 'title', 'description', ...names, ...more]);
}

function multiChoice(field: JsonObject): JsonObject | undefined {
  const items = isObject(field.items) ? (field.items as JsonObject) : {};
  const titled = titledChoices(items.anyOf ?? items.oneOf);
  const choices: JsonObject | undefined = titled
    ? { anyOf: titled }
    : areTexts(items.enum)
      ? { type: 'string', enum: items.enum }
      : undefined;
  return choices && { type: 'array', ...pick(field, ['title', 'description', 'minItems', 'maxItems', 'default']), items: choices };
}

function titledChoices(choices: Json | undefined): readonly JsonObject[] | undefined {
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  const shown = (choices as readonly Json[]).flatMap((choice): readonly JsonObject[] => {
    if (!isObject(choice) || typeof choice.const !== 'string') return [];
    return [{ const: choice.const, title: typeof choice.title === 'string' ? choice.title : choice.const }];
  });
  return shown.length === choices.length ? shown : undefined;
}

const areTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

const pick = (field: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (field[name] === undefined ? [] : [[name, field[name]]])));
