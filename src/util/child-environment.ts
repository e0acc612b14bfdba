// the last one is a folder: half of such a process's time went into compiling its modules
const passedOn = ['SystemRoot', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];

/** All that Node may need of the environment to start in a process of its own; keys and tokens stay here. */
export const childEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.includes(name)));
