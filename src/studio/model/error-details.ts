export interface PageError {
  readonly panel: string;
  readonly error: unknown;
  /** Of React's components. */
  readonly stack: string;
  readonly address: string;
  readonly browser: string;
}

/** Returns an error of the page as text for a bug report. */
export function errorDetails({ panel, error, stack, address, browser }: PageError): string {
  // the first line of a stack is its message in Chromium, and in no other browser
  const message = String(error);
  const trace = error instanceof Error && error.stack ? error.stack : '';
  return [
    'agent-machines studio',
    `panel: ${panel}`,
    `page: ${address.replace(/#token=.*/, '')}`,
    `browser: ${browser}`,
    '',
    ...(trace.startsWith(message) ? [] : [message]),
    ...(trace ? [trace] : []),
    ...(stack.trim() ? ['', 'components:', stack.replace(/^\n/, '')] : []),
  ].join('\n');
}
