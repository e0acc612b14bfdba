/**
 * Deeply frozen JSON objects and lists. `deepFreeze` skips them and `toJson` does not copy them, so a turn only pays for the new items of a
 * thread's long list.
 */
export const frozenJson: WeakSet<object> = new WeakSet();
