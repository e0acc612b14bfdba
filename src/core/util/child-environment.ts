// the last one is the compile cache, which halves the start of such a process
const inheritedNames = ['SystemRoot', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];

/** Variables that Node needs to start in a child process; keys and tokens are left out. */
export const childEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => inheritedNames.includes(name)));
