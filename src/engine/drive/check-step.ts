import { WorkflowError } from '../../core/errors/errors.ts';
import type { StepOptions } from '../../core/ports/node-io.ts';
import { checkOptions, fn, type OptionKind, oneOf } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';

const stepOptions: Readonly<Record<string, OptionKind>> = {
  effect: oneOf('pure', 'idempotent', 'once'),
  describe: { what: 'JSON', is: () => true },
  fromHuman: fn,
};

/**
 * Rejects a step with invalid options. A typo such as `{ effect: 'Once' }` would otherwise make the step repeatable.
 * @throws {WorkflowError} `ID_INVALID`, `OPTION_INVALID`.
 */
export function checkStep(step: string, options: StepOptions): void {
  if (typeof step !== 'string' || !step.isWellFormed()) throw stepKeyInvalid(step);
  if (!isKnown(options)) checkOptions(`the step "${step}"`, options, stepOptions);
}

/** Fast check for valid options, the usual case. */
function isKnown(options: StepOptions): boolean {
  if (!isObject(options)) return false;
  for (const name in options) {
    if (!Object.hasOwn(stepOptions, name) || !stepOptions[name]?.is(options[name as keyof StepOptions])) return false;
  }
  return true;
}

const stepKeyInvalid = (step: unknown): WorkflowError =>
  new WorkflowError(
    typeof step === 'string'
      ? {
          code: 'ID_INVALID',
          message: `The step key ${JSON.stringify(step)} contains half a character, which no store can save.`,
          hint: 'Cut strings between characters.',
        }
      : { code: 'ID_INVALID', message: 'The key of a step is not a string.', hint: "Call io.step('charge', () => …), for example." },
  );
