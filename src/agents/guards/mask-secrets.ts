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
const endOfPem = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** Above the length of the longest trigger, and of the line that ends a private key. */
const maxRecent = 100;

/**
 * Decides whole lines, and the words of a line without a trigger. No pattern crosses the end of a line except a private key's, and JSON is
 * decided as a whole. Pieces are joined only when some of them are decided, so that a long line takes linear time.
 */
class SecretStream implements GuardStream {
  readonly #redact: (text: string) => string;
  readonly #redactWhole: (text: string) => string;
  #held: string[] = [];
  /** Last characters of the current line, where a trigger may have begun. */
  #recent = '';
  #isJson: boolean | undefined;
  #hasTrigger = false;
  #isPemOpen = false;
  /** True once the last line of the open key was received, up to the end of that line. */
  #isPemEnding = false;

  constructor(redact: (text: string) => string, redactWhole: (text: string) => string) {
    this.#redact = redact;
    this.#redactWhole = redactWhole;
  }

  push(text: string): string {
    this.#held.push(text);
    const recent = this.#recent + text;
    this.#recent = recent.slice(-maxRecent);
    this.#isJson ??= /\S/.test(text) ? /^\s*[[{]/.test(text) : undefined;
    if (this.#isPemOpen) this.#isPemEnding ||= endOfPem.test(recent);
    if (this.#isJson !== false || (this.#isPemOpen && !this.#isPemEnding)) return '';
    if (text.includes('\n')) return this.#endLines();
    if (this.#isPemOpen) return '';
    this.#hasTrigger ||= trigger.test(recent);
    return this.#hasTrigger || !/\s/.test(text) || !/\S/.test(text) ? '' : this.#takeWords('');
  }

  end(): string {
    return this.#decided(this.#held.join(''));
  }

  #endLines(): string {
    const held = this.#held.join('');
    const end = held.lastIndexOf('\n') + 1;
    this.#held = [held];
    this.#isPemEnding = false;
    this.#isPemOpen = openPem.test(held.slice(0, end));
    if (this.#isPemOpen) return '';
    const rest = held.slice(end);
    this.#held = [rest];
    this.#recent = rest.slice(-maxRecent);
    this.#hasTrigger = trigger.test(rest);
    const lines = this.#decided(held.slice(0, end));
    return this.#hasTrigger ? lines : this.#takeWords(lines);
  }

  /** Keeps the last two words, which may become a trigger, as "api" and "key" do. */
  #takeWords(before: string): string {
    const held = this.#held.join('');
    let at = held.length;
    while (at > 0 && /\S/.test(held.charAt(at - 1))) at--;
    while (at > 0 && /\s/.test(held.charAt(at - 1))) at--;
    while (at > 0 && /\S/.test(held.charAt(at - 1))) at--;
    this.#held = [held.slice(at)];
    return before + this.#decided(held.slice(0, at));
  }

  #decided(text: string): string {
    if (text === '') return '';
    return this.#isJson ? this.#redactWhole(text) : this.#redact(text);
  }
}
