/** What the engine of Node's `fetch` sends a request with. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/**
 * Options of `fetch` that leave time limits to us. Node's own gives up after five minutes without a byte, whatever a caller allows; no
 * other runtime has that engine, and none is changed by them.
 */
export function patientFetchOptions(scope: object = globalThis): { dispatcher?: Dispatcher } {
  const place = placeOfEngine(scope);
  void globalThis.Headers; // Node makes its engine when something of it is looked at first
  if (!isDispatcher(Reflect.get(scope, place))) return {};
  return {
    dispatcher: {
      dispatch(options, handler) {
        const current: unknown = Reflect.get(scope, place); // a proxy may have been set meanwhile
        if (!isDispatcher(current)) return false;
        return current.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
      },
    },
  };
}

/** From its version 8 on the engine keeps what speaks its own protocol in another place, and something that translates in the old one. */
function placeOfEngine(scope: object): symbol {
  const { process } = scope as { process?: { versions?: { undici?: string } } };
  const major = Number.parseInt(process?.versions?.undici ?? '', 10);
  return Symbol.for(`undici.globalDispatcher.${major >= 8 ? 2 : 1}`);
}

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function';
