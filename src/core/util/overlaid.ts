/** Returns a view of an object in which `methods` replace its own. Works for frozen objects and for instances of classes. */
export function overlaid<T extends object>(target: T, methods: Partial<T>): T {
  // a proxy of a frozen object could not replace its methods
  const names: T = Object.assign(Object.create(Object.getPrototypeOf(target)), target, methods);
  return new Proxy<T>(names, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof T];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
