import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';

/**
 * V8's messages for a write to a frozen object. V8 uses the same messages for other objects, such as a module's names and letters of a
 * text.
 */
const writesToFrozen =
  /^Cannot (?:assign to read only property '.*' of (?:object '(?!\[object Module\])|\[object Array\])|add property .*, object is not extensible$|delete property '.*' of |(?:re)?define property:? .*)/s;

/** Error for a write to a frozen argument; `undefined` for any other error. */
export function mutationOf(thrown: unknown, who: string): WorkflowError | undefined {
  if (!isTypeError(thrown) || !writesToFrozen.test(thrown.message)) return undefined;
  return new WorkflowError({
    code: 'STATE_MUTATED',
    message: `${who} wrote to a frozen value: ${thrown.message}.`,
    hint: 'Change a copy, because arguments are frozen. A node returns its changes as a patch.',
    cause: thrown,
  });
}

function isTypeError(thrown: unknown): thrown is TypeError {
  try {
    return thrown instanceof TypeError;
  } catch {
    return false; // a proxy may throw on any access
  }
}

/**
 * Wraps an error of a function in a workflow's definition and names the function, because it has no error edge.
 *
 * @param what name of the function, such as `The guard "isDone"`.
 */
export function definitionError(what: string, thrown: unknown): WorkflowError {
  const mutation = mutationOf(thrown, what);
  if (mutation) return mutation;
  const { message, hint, retryable, data } = toErrorInfo(thrown);
  if (WorkflowError.isInstance(thrown)) {
    if (thrown.code === 'DEFINITION_THREW') return thrown; // already named
    const rest = { ...(hint ? { hint } : {}), retryable, ...(data ? { data } : {}) };
    return new WorkflowError({ code: thrown.code, message: `${what}: ${message}`, ...rest, cause: thrown });
  }
  return new WorkflowError({
    code: 'DEFINITION_THREW',
    message: `${what} threw: ${message}`,
    hint: 'Make it pure, and return a value for every state.',
    cause: thrown,
  });
}

/** Wraps a function of a definition so that its errors carry its name. */
export const nameErrors =
  <TArgs extends readonly unknown[], TResult>(what: string, part: (...args: TArgs) => TResult): ((...args: TArgs) => TResult) =>
  (...args) => {
    try {
      return part(...args);
    } catch (thrown) {
      throw definitionError(what, thrown);
    }
  };
