/** Returns the object without the members that are `undefined`. */
export const withoutUndefined = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as T;
