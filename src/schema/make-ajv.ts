import core, { type Options } from 'ajv/dist/core.js';
import draft2020 from 'ajv/dist/vocabularies/draft2020.js';
import { toLinearPattern } from './linear-pattern.ts';

export type Ajv = InstanceType<typeof core.default>;

const options: Options = {
  allErrors: true, // and it makes flat code: without it, each property would be nested in the one before
  inlineRefs: false, // a schema that is referred to often is made once
  ownProperties: true,
  dynamicRef: true,
  next: true,
  unevaluated: true,
  strict: true,
  meta: false, // `checkKeywords` says the same
  validateSchema: false,
  strictSchema: 'log', // so that a foreign schema's annotations do not refuse its tool
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  multipleOfPrecision: 6, // 19.99 is a multiple of 0.01, though not in binary
  validateFormats: false,
  code: { regExp: Object.assign(toLinearPattern, { code: '' }) },
};

/**
 * Ajv of draft 2020-12, without the meta-schemas that `ajv/dist/2020.js` brings along.
 *
 * @param logger is told of keywords that are not known.
 */
export function makeAjv(logger: Options['logger']): Ajv {
  const ajv = new core.default({ ...options, logger });
  for (const vocabulary of draft2020.default) ajv.addVocabulary(vocabulary);
  return ajv;
}
