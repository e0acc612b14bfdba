import { redactSecrets } from '../util/redact-secrets.ts';
import { escapeControls } from './terminal.ts';

/** Returns the stack of anything that was thrown, for a terminal or a log: without secrets. */
export const stackOf = (thrown: unknown): string =>
  escapeControls(redactSecrets(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)));
