import { redactJson, redactSecrets } from '../../core/errors/redact-secrets.ts';
import type { GuardStream, TextGuard } from '../../core/ports/text-guard.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { mapJsonText } from '../../core/util/map-json-text.ts';

export interface MaskSecretsOptions {
  /** Secrets that no pattern finds, each of 8 characters or more and without a space. Default: none. */
  readonly secrets?: readonly string[];
  /** @default 'mask-secrets' */
  readonly name?: string;
}

/**
 * Guard that replaces keys, tokens and passwords with `[secret]`, for good: in the input, in requests, in the results of tools and in
 * answers. Known key prefixes, credentials, named values such as `password: …`, cookies and private keys count. The arguments of calls stay,
 * because a tool may need them.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example toolAgent({ model, guards: [maskSecrets()] })
 */
export function maskSecrets({ secrets = [], name = 'mask-secrets' }: MaskSecretsOptions = {}): TextGuard {
  if (!secrets.every((secret) => typeof secret === 'string' && /^\S{8,}$/.test(secret)))
    throw optionInvalid('A secret is shorter than 8 characters, or has a space.', 'Give longer ones, such as keys.', 'secrets');
  const redact = (text: string): string => redactSecrets(text, secrets);
  const redactAll = (text: string): string => {
    const json = mapJsonText(text, redact);
    if (json === undefined) return redact(text);
    const value: unknown = JSON.parse(json);
    const redacted = JSON.stringify(redactJson(value, (part) => part));
    return redacted === JSON.stringify(value) ? json : redacted;
  };
  return {
    name,
    at: ['input', 'request', 'tool-result', 'answer'],
    check(text) {
      const masked = redactAll(text);
      return masked === text ? { as: 'pass' } : { as: 'mask', text: masked, reason: 'secret' };
    },
    stream: () => new SecretStream(redact, redactAll),
  };
}

/** Words and signs that may begin a secret with spaces in it. Their line is decided as a whole. */
const trigger = /api|key|secret|passw|phrase|pwd|token|auth|credential|비밀|암호|패스|cookie|bearer|basic|digest|--|:\/\//i;
const openPem = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)/;

/**
 * Decides whole lines, and the words of a line without a trigger. No pattern crosses the end of a line except a private key's, and JSON is
 * decided as a whole.
 */
class SecretStream implements GuardStream {
  readonly #redact: (text: string) => string;
  readonly #redactWhole: (text: string) => string;
  #held = '';
  #isJson: boolean | undefined;

  constructor(redact: (text: string) => string, redactWhole: (text: string) => string) {
    this.#redact = redact;
    this.#redactWhole = redactWhole;
  }

  push(text: string): string {
    this.#held += text;
    this.#isJson ??= /\S/.test(this.#held) ? /^\s*[[{]/.test(this.#held) : undefined;
    if (this.#isJson !== false) return '';
    const lineEnd = this.#held.lastIndexOf('\n') + 1;
    const line = this.#held.slice(lineEnd);
    // the last two words may become a trigger, as in "api" and "key"
    const words = trigger.test(line) ? 0 : (/^[\s\S]*\s(?=\S+\s+\S*$)/.exec(line)?.[0].length ?? 0);
    const length = lineEnd + words;
    return openPem.test(this.#held.slice(0, length)) ? '' : this.#take(length);
  }

  end(): string {
    return this.#take(this.#held.length);
  }

  #take(length: number): string {
    const decided = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (decided === '') return '';
    return this.#isJson ? this.#redactWhole(decided) : this.#redact(decided);
  }
}
