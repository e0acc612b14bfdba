/** The code of an error that the operating system gave, such as `ENOENT`; `undefined` for any other error. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** What such a code says of a file: it is not there, is no ordinary file, or may not be read. `undefined`: something else. */
export const fileProblem = (code: string): 'missing' | 'irregular' | 'denied' | undefined => problems[code];

const problems: Readonly<Record<string, 'missing' | 'irregular' | 'denied' | undefined>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ENAMETOOLONG: 'missing',
  ELOOP: 'missing',
  EISDIR: 'irregular',
  ENXIO: 'irregular',
  ENODEV: 'irregular',
  EACCES: 'denied',
  EPERM: 'denied',
};
