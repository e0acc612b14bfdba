import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { GuardExchange, TextGuard } from '../../core/ports/text-guard.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { mapJsonText } from '../../core/util/map-json-text.ts';
import { findPersonalData, type PersonalDataKind, personalDataKinds, withoutOverlaps } from '../../core/util/personal-data.ts';
import { filesOf } from '../../core/util/without-files.ts';

export interface MaskPersonalDataOptions {
  /** Default: all kinds. */
  readonly kinds?: readonly PersonalDataKind[];
  /** Patterns of your own by kind, such as `{ employee: /E-\d{5}/ }`. They win over the other kinds. Default: none. */
  readonly patterns?: Readonly<Record<string, RegExp>>;
  /** Files are not read. `stop`: a message or a tool's result with a file stops the run. @default 'pass' */
  readonly files?: 'pass' | 'stop';
  /** @default 'mask-personal-data' */
  readonly name?: string;
}

/**
 * Guard that hides personal data from the model. In each request, a value becomes a name such as `<EMAIL_1>`. In the reply, its text and
 * the arguments of its tool calls, the name becomes the value again. The names are forgotten then, so the journal, tools and answers have
 * the values. Names and addresses of people, and files, are not detected.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example toolAgent({ model, guards: [maskPersonalData()] })
 */
export function maskPersonalData(options: MaskPersonalDataOptions = {}): TextGuard {
  const { kinds = personalDataKinds, files = 'pass', name = 'mask-personal-data' } = options;
  const strange = kinds.find((kind) => !personalDataKinds.includes(kind));
  if (strange !== undefined) throw optionInvalid(`kinds has "${strange}".`, `Use some of ${personalDataKinds.join(', ')}.`, 'kinds');
  const wanted = new Set(kinds);
  const own = Object.entries(options.patterns ?? {}).map(ownPattern);
  const masksOf = new WeakMap<GuardExchange, Masks>();
  return {
    name,
    at: ['request'],
    check(text, { exchange, message }) {
      if (files === 'stop' && message && filesOf(message).length > 0) return { as: 'stop', reason: 'a file cannot be masked' };
      if (!exchange) return { as: 'pass' };
      const masks = masksOf.get(exchange) ?? new Masks(exchange.messages, wanted, own);
      masksOf.set(exchange, masks);
      const masked = masks.mask(text);
      return masked === text ? { as: 'pass' } : { as: 'mask', text: masked, reason: masks.describe() };
    },
    restores: (exchange) => masksOf.get(exchange)?.values ?? new Map(),
  };
}

interface OwnPattern {
  readonly kind: string;
  readonly pattern: RegExp;
}

function ownPattern([kind, pattern]: readonly [string, RegExp]): OwnPattern {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(kind))
    throw optionInvalid(`patterns has the kind "${kind}".`, 'Use letters, digits and "-".', 'patterns');
  if (!(pattern instanceof RegExp)) throw optionInvalid(`The pattern of "${kind}" is no RegExp.`, 'Write it as /…/.', 'patterns');
  return { kind, pattern: new RegExp(pattern.source, [...new Set(`${pattern.flags}g`)].join('')) };
}

const nameForm = /<[A-Z][A-Z0-9_]{0,40}_\d{1,6}>/g;

/** Names of one request. They are numbered by first appearance, and equal values share one. */
class Masks {
  readonly values = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** The last number of each kind. */
  readonly #numbers = new Map<string, number>();
  /** Names that stand in the request already. A text of a stranger could use one to get a value. */
  readonly #taken: ReadonlySet<string>;
  readonly #kinds: ReadonlySet<PersonalDataKind>;
  readonly #own: readonly OwnPattern[];

  constructor(messages: readonly ChatMessage[], kinds: ReadonlySet<PersonalDataKind>, own: readonly OwnPattern[]) {
    this.#kinds = kinds;
    this.#own = own;
    this.#taken = new Set(messages.flatMap(textsOf).flatMap((text) => unescaped(text).match(nameForm) ?? []));
  }

  mask(text: string): string {
    return mapJsonText(text, (part) => this.#mask(part)) ?? this.#mask(text);
  }

  /** Numbers of values by kind. */
  describe(): string {
    return [...this.#counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
  }

  #mask(text: string): string {
    let masked = '';
    let at = 0;
    for (const { kind, start, end } of this.#find(text)) {
      masked += text.slice(at, start) + this.#nameOf(kind, text.slice(start, end));
      at = end;
    }
    return masked + text.slice(at);
  }

  #find(text: string): readonly { readonly kind: string; readonly start: number; readonly end: number }[] {
    const own = this.#own.flatMap(({ kind, pattern }) =>
      [...text.matchAll(pattern)].flatMap(({ index, 0: found }) =>
        found === '' ? [] : [{ kind, start: index, end: index + found.length }],
      ),
    );
    return withoutOverlaps([...own, ...findPersonalData(text, this.#kinds)].sort((a, b) => a.start - b.start));
  }

  #nameOf(kind: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const written = kind.toUpperCase().replaceAll('-', '_');
    let number = this.#numbers.get(kind) ?? 0;
    let name: string;
    do name = `<${written}_${++number}>`;
    while (this.#taken.has(name));
    this.#numbers.set(kind, number);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    this.#names.set(value, name);
    this.values.set(name, value);
    return name;
  }
}

const textsOf = (message: ChatMessage): readonly string[] => [
  message.content,
  ...(message.role === 'assistant' ? (message.toolCalls?.map((call) => call.arguments) ?? []) : []),
];

/** JSON may write the brackets of a name as escapes. */
const unescaped = (text: string): string => text.replaceAll(/\\u003c/gi, '<').replaceAll(/\\u003e/gi, '>');
