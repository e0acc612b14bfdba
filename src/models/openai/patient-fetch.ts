/** Request dispatcher of Node's `fetch` engine. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/**
 * Options of `fetch` that disable its own time limits. Node's engine fails after five minutes without a byte, whatever the caller allows.
 * Other runtimes lack that engine, so the options change nothing there.
 */
export function patientFetchOptions(scope: object = globalThis): { dispatcher?: Dispatcher } {
  const place = placeOfEngine(scope);
  void globalThis.Headers; // Node creates its engine when one of its classes is first accessed
  if (!isDispatcher(Reflect.get(scope, place))) return {};
  return {
    dispatcher: {
      dispatch(options, handler) {
        const current: unknown = Reflect.get(scope, place); // a proxy may have been set in the meantime
        if (!isDispatcher(current)) return false;
        return current.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
      },
    },
  };
}

/** From version 8, the engine keeps its native dispatcher under a new symbol, and a compatibility wrapper under the old one. */
function placeOfEngine(scope: object): symbol {
  const { process } = scope as { process?: { versions?: { undici?: string } } };
  const major = Number.parseInt(process?.versions?.undici ?? '', 10);
  return Symbol.for(`undici.globalDispatcher.${major >= 8 ? 2 : 1}`);
}

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function';
