/**
 * Objects and lists that are JSON and frozen however deep. `deepFreeze` skips them, and `toJson` takes an item of a list as it is:
 * a long list of a thread's state costs a turn what is new in it.
 */
export const frozenJson: WeakSet<object> = new WeakSet();
