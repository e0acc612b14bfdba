export interface PageError {
  readonly panel: string;
  readonly error: unknown;
  /** React component stack. */
  readonly stack: string;
  readonly address: string;
  readonly browser: string;
}

/** Returns an error of the page as text for a bug report. */
export function errorDetails({ panel, error, stack, address, browser }: PageError): string {
  // only Chromium puts the message in the first line of a stack
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
