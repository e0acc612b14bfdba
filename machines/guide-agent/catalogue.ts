import { WorkflowError } from 'agent-machines';
import * as z from 'zod/mini';

const text = z.string('must be a string');
const filled = text.check(z.regex(/\S/u, 'must not be empty'));

const price = z
  .object({
    amount: z.number('must be a number').check(z.minimum(0, 'must be 0 or more')),
    currency: text,
    per: text,
    free_tier: z.boolean('must be true or false'),
  })
  .check(
    z.refine(({ amount, currency }) => amount === 0 || currency.trim() !== '', {
      path: ['currency'],
      message: 'must name the currency of the amount',
    }),
  );

const service = z.object({
  id: filled,
  name: filled,
  category: filled,
  purpose: text,
  purpose_en: z.optional(text),
  description: text,
  description_en: z.optional(text),
  price,
  languages: z.array(filled, 'must be a list'),
  tags: z.array(filled, 'must be a list'),
  tags_en: z.optional(z.array(filled, 'must be a list')),
});

/** A service of the catalogue. */
export type CatalogueService = z.infer<typeof service>;

const maxReasons = 20;
const maxShownLength = 60;

/**
 * Parses a catalogue of services. A single error rejects the whole catalogue, because readers act on the prices that a guide quotes.
 *
 * @throws {WorkflowError} `INPUT_INVALID` for an invalid catalogue, a price below 0 or without a currency, or two services with one id. The
 * error lists the path of each problem.
 */
export function parseCatalogue(catalogue: unknown): readonly CatalogueService[] {
  const parsed = z.array(service, 'must be a list of services').safeParse(catalogue);
  const reasons = parsed.success
    ? repeatedIds(parsed.data)
    : parsed.error.issues.map(({ path, message }) => `${inWords(path)}${shown(catalogue, path)}: ${message}`);
  if (parsed.success && reasons.length === 0) return parsed.data;
  const more = reasons.length > maxReasons ? `; and ${reasons.length - maxReasons} more` : '';
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The catalogue cannot be used: ${reasons.slice(0, maxReasons).join('; ')}${more}.`,
    hint: 'Correct these entries. A catalogue with an invalid entry is rejected as a whole. See the catalogue of exampleKnowledge() for the format.',
  });
}

function repeatedIds(services: readonly CatalogueService[]): readonly string[] {
  const first = new Map<string, number>();
  return services.flatMap(({ id }, index) => {
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    return before === undefined ? [] : [`[${index}].id${quoted(id)}: is also the id of [${before}]`];
  });
}

/** Formats a path: `[3].price.amount` */
const inWords = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? 'it'
    : path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`)).join('');

/** Returns the value at a path, if it is short enough to show. */
function shown(catalogue: unknown, path: readonly PropertyKey[]): string {
  let value = catalogue;
  for (const part of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  if (value === undefined) return ' (missing)';
  return typeof value === 'object' && value !== null ? '' : quoted(value);
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return ` (${text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text})`;
}
