/** Code of an operating system error, such as `ENOENT`; `undefined` for any other error. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Kind of problem behind such a code: the file is missing, irregular, or not readable. `undefined`: another problem. */
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
