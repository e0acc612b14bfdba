import { toErrorInfo, WorkflowError } from '../errors.ts';

/** What V8 says of a write to something frozen; of a module's names and of letters of a text it says the same of other objects. */
const writesToFrozen =
  /^Cannot (?:assign to read only property '.*' of (?:object '(?!\[object Module\])|\[object Array\])|add property .*, object is not extensible$|delete property '.*' of |(?:re)?define property:? .*)/s;

/** The error of whoever has written to what it was given; `undefined` for any other error. */
export function mutationOf(thrown: unknown, who: string): WorkflowError | undefined {
  if (!isTypeError(thrown) || !writesToFrozen.test(thrown.message)) return undefined;
  return new WorkflowError({
    code: 'STATE_MUTATED',
    message: `${who} has written to something that is frozen: ${thrown.message}.`,
    hint: 'What it is given is frozen. Change a copy; a node returns what changes as its patch.',
    cause: thrown,
  });
}

function isTypeError(thrown: unknown): thrown is TypeError {
  try {
    return thrown instanceof TypeError;
  } catch {
    return false; // a proxy may throw at any look
  }
}

/**
 * What a function of a workflow's definition has thrown, with its name: such a function has no error edge to go to.
 *
 * @param what such as `The guard "isDone"`.
 */
export function definitionError(what: string, thrown: unknown): WorkflowError {
  const mutation = mutationOf(thrown, what);
  if (mutation) return mutation;
  const { message, hint, retryable, data } = toErrorInfo(thrown);
  if (WorkflowError.isInstance(thrown)) {
    if (thrown.code === 'DEFINITION_THREW') return thrown; // it has its name
    const rest = { ...(hint ? { hint } : {}), retryable, ...(data ? { data } : {}) };
    return new WorkflowError({ code: thrown.code, message: `${what}: ${message}`, ...rest, cause: thrown });
  }
  return new WorkflowError({
    code: 'DEFINITION_THREW',
    message: `${what} threw: ${message}`,
    hint: 'It must be pure, and come to an answer for every state.',
    cause: thrown,
  });
}

/** A function of a definition that throws nothing but errors with its name. */
export const named =
  <TFirst, TSecond, TResult>(
    what: string,
    part: (first: TFirst, second: TSecond) => TResult,
  ): ((first: TFirst, second: TSecond) => TResult) =>
  (first, second) => {
    try {
      return part(first, second);
    } catch (thrown) {
      throw definitionError(what, thrown);
    }
  };

/** The same for a function of one argument. */
export const namedPart =
  <TFirst, TResult>(what: string, part: (first: TFirst) => TResult): ((first: TFirst) => TResult) =>
  (first) => {
    try {
      return part(first);
    } catch (thrown) {
      throw definitionError(what, thrown);
    }
  };
