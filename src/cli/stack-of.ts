import { redactSecrets } from '../core/errors/redact-secrets.ts';
import { escapeControls } from './terminal.ts';

/** Returns the stack of any thrown value, without secrets, for a terminal or a log. */
export const stackOf = (thrown: unknown): string =>
  escapeControls(redactSecrets(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)));
