import type { ChatMessage } from '../core/ports/chat-model.ts';
import { mapJsonText } from '../core/util/map-json-text.ts';
import { isRepair } from '../core/util/repair-message.ts';

/** Rule for the images and links of a reply that stay. */
export interface LinkRule {
  readonly isAllowed: (host: string) => boolean;
}

/** Filters a text that arrives in pieces. The result does not depend on how the text is split. */
export interface LinkFilter {
  /** Returns the text decided so far. */
  push(text: string): string;
  /** Returns the remaining text. */
  end(): string;
}

const maxChars = 2_048;
/** Maximum nesting of brackets or tags; deeper ones are text. */
const maxDepth = 8;

/** Also matches escapes and entities, because renderers may link a URL after resolving them. */
const opener = /!?\[|\]\(|<|https?(?=\\?:|&)|www\\?\./i;
/** Start of an opener at the end of a piece. */
const openerPrefix = /(?:!|\]|h|ht|htt|https?\\?|w|ww|www\\?)$/i;
const endingChars = /[\s()[\]<>"'`}|:]/;
const bareUrl = /^(?:https?(?:\\?:|&(?:#\w{1,8}|colon);)(?:\\?[\\/]|&(?:#\w{1,8}|b?sol);)+|www\\?\.)[^\s<>"`\]}|]*/i;
const everyUrl = /(?:https?:\/\/|www\.)[^\s<>"`\]}|]+/gi;
const trailing = /[.,;:!?'*_~]+$/;
const autolink = /^<[a-z][a-z0-9+.-]*:[^\s<>]*>$/i;
const fetchingHtml =
  /https?:|[\\/]{2}|&|[\s"'/](?:src|srcset|href|style|action|formaction|poster|background|data|content|cite|ping|on[a-z]+)\s*=|^<\/?(?:style|meta|link|base|script|iframe|object|embed)\b/i;
const entity = /&(?:#|colon;|sol;|bsol;|period;|tab;|newline;)/i;
const blankLine = /^\n[ \t]*\n/;

/** Length of a construct and its replacement; `undefined` if the decision needs more text. */
type Replacement = { readonly length: number; readonly text: string } | undefined;

interface Judge {
  /** Name of a foreign host; `undefined` for an allowed destination. */
  hostOf(destination: string, isImage: boolean): string | undefined;
  /** Filters a text inside a construct, because a renderer that parses the construct differently shows it. */
  inner(text: string): string;
}

/**
 * Removes images and links that would send data of the thread to a foreign host when a client shows or opens them. An image stays if it is
 * relative or its host is allowed. A link also stays if its URL occurs verbatim in `sources`, such as `readUrls`.
 */
export function linkFilter(rule: LinkRule, sources: readonly string[]): LinkFilter {
  let held = '';
  /** Number of characters of `held` that were parsed without a decision. */
  let parsed = 0;
  let known: ReadonlySet<string> | undefined;
  const isKnown = (url: string): boolean => {
    known ??= new Set(sources.flatMap((text) => (text.match(everyUrl) ?? []).map(balanced)));
    return known.has(url);
  };
  const judge: Judge = {
    hostOf: (destination, isImage) => foreignHost(destination, rule, !isImage && isKnown(destination)),
    inner: (text) => filterLinks(text, rule, sources),
  };

  const take = (isLast: boolean): string => {
    let decided = '';
    for (;;) {
      const at = held.search(opener);
      if (at < 0) {
        const prefix = isLast ? -1 : held.search(openerPrefix);
        const end = prefix < 0 ? held.length : prefix;
        decided += held.slice(0, end);
        held = held.slice(end);
        return decided;
      }
      decided += held.slice(0, at);
      held = held.slice(at);
      const isFull = held.length >= maxChars;
      if (parsed > 0 && !isFull && !isLast && !endingChars.test(held.slice(parsed - 1))) return decided;
      const found = parse(held.slice(0, maxChars), judge, isFull || isLast);
      parsed = found ? 0 : held.length;
      if (!found) return decided;
      decided += found.text;
      held = held.slice(found.length);
    }
  };

  return {
    push(text) {
      held += text;
      return take(false);
    },
    end: () => take(true),
  };
}

/**
 * URLs that the model has read in these messages and not written itself: one that a tool or a request to repair a reply repeats after it was
 * in the model's text or call is the model's own, because some tools return their arguments.
 */
export function readUrls(messages: readonly ChatMessage[]): readonly string[] {
  const read = new Set<string>();
  /** Who had a URL first, in any spelling: a tool may change the case. */
  const first = new Map<string, 'model' | 'other'>();
  for (const message of messages) {
    const by = message.role === 'assistant' ? 'model' : 'other';
    const mayRepeat = message.role === 'tool' || isRepair(message);
    for (const url of textsOf(message).flatMap(urlsIn)) {
      const key = url.toLowerCase();
      if (!first.has(key)) first.set(key, by);
      if (by === 'other' && (!mayRepeat || first.get(key) === 'other')) read.add(url);
    }
  }
  return [...read];
}

const urlsIn = (text: string): readonly string[] => (text.match(everyUrl) ?? []).map(balanced);

/** Content of a message, and the names and arguments of its calls. */
function textsOf(message: ChatMessage): readonly string[] {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [message.content, ...calls.map(({ arguments: args }) => args)].flatMap(stringsIn).concat(calls.map(({ name }) => name));
}

/** Strings of a JSON text, because an escape would become a part of a URL; otherwise the text. */
function stringsIn(text: string): readonly string[] {
  const strings: string[] = [];
  const collect = (part: string): string => {
    strings.push(part);
    return part;
  };
  return mapJsonText(text, collect) === undefined ? [text] : strings;
}

/** Filters a whole text. */
export function filterLinks(text: string, rule: LinkRule, sources: readonly string[]): string {
  const filter = linkFilter(rule, sources);
  return filter.push(text) + filter.end();
}

/** @param isLast True at the end of the text, or when the construct is too long. */
function parse(text: string, judge: Judge, isLast: boolean): Replacement {
  if (text.startsWith('<')) return parseHtml(text, judge, isLast);
  if (text.startsWith('![') || text.startsWith('[')) return parseLabel(text, judge, isLast);
  if (text.startsWith('](')) return parseTarget(text, judge, isLast);
  const [found = ''] = bareUrl.exec(text) ?? [];
  if (!isLast && (found.length === text.length || (found === '' && /^https?(?:\\?:?|&[#\w]{0,9};?)[\\&#\w;]{0,10}$/i.test(text))))
    return undefined;
  const url = balanced(found);
  if (url === '') return { length: 4, text: text.slice(0, 4) };
  const host = judge.hostOf(url, false);
  return { length: url.length, text: host === undefined ? url : `[link removed: ${host}]` };
}

/** Cuts a URL in prose before trailing punctuation, and before a closing bracket that was opened in front of the URL. */
function balanced(found: string): string {
  let depth = 0;
  let end = 0;
  for (; end < found.length; end++) {
    if (found[end] === '(') depth++;
    if (found[end] === ')' && --depth < 0) break;
  }
  return found.slice(0, end).replace(trailing, '');
}

function parseHtml(text: string, judge: Judge, isLast: boolean): Replacement {
  if (text.length < 2 && !isLast) return undefined;
  if (!/^<[a-z!/?]/i.test(text)) return { length: 1, text: '<' };
  let quote = '';
  let before = ''; // the last non-space character
  let tags = 0;
  for (let i = 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if ((char === '"' || char === "'") && before === '=') quote = char;
    else if (char === '<' && ++tags > maxDepth) return { length: 1, text: '< ' };
    else if (char === '>') {
      const tag = text.slice(0, i + 1);
      const host = autolink.test(tag) ? judge.hostOf(tag.slice(1, -1), false) : undefined;
      if (autolink.test(tag)) return { length: tag.length, text: host === undefined ? tag : `[link removed: ${host}]` };
      return fetches(tag) ? { length: tag.length, text: '[html removed]' } : { length: 1, text: '<' };
    }
    if (!/\s/.test(char)) before = char;
  }
  return isLast ? { length: 1, text: '< ' } : undefined; // prevents a tag, whatever follows
}

/** Browsers ignore tabs and line breaks within a URL. */
const fetches = (tag: string): boolean => fetchingHtml.test(tag) || fetchingHtml.test(tag.replace(/[\t\r\n]/g, ''));

function parseLabel(text: string, judge: Judge, isLast: boolean): Replacement {
  const isImage = text.startsWith('!');
  const start = isImage ? 2 : 1;
  const asText: Replacement = { length: start, text: text.slice(0, start) };
  let depth = 1;
  let close = start;
  for (; close < text.length; close++) {
    const char = text.charAt(close);
    if (char === '\\') close++;
    else if (char === '[' && ++depth > maxDepth) return asText;
    else if (char === ']' && --depth === 0) break;
    else if (char === '\n' && blankLine.test(text.slice(close, close + 20))) return asText;
  }
  const next = text.charAt(close + 1);
  if (next === '') return isLast ? asText : undefined;
  if (next === ':') return parseDefinition(text, close + 2, judge, isLast);
  if (next !== '(') return asText;
  const target = readTarget(text, close + 2, isLast);
  if (!target) return target === undefined ? undefined : asText;
  const host = judge.hostOf(target.destination, isImage);
  const length = target.end;
  if (isImage && host !== undefined) return { length, text: `[image removed: ${host}]` };
  const label = judge.inner(text.slice(start, close));
  if (host !== undefined) return { length, text: `${label} [link removed: ${host}]`.trimStart() };
  return { length, text: `${text.slice(0, start)}${label}](${judge.inner(text.slice(close + 2, length - 1))})` };
}

/**
 * Parses a reference definition. An image may use it, so it is judged as an image. A line of a quote may begin between label and
 * destination.
 */
function parseDefinition(text: string, from: number, judge: Judge, isLast: boolean): Replacement {
  const found = /^[\s>]*(?:<([^<>\n]*)>|([^\s<>]\S*))/.exec(text.slice(from));
  const end = from + (found?.[0].length ?? 0);
  if (!isLast && end >= text.length) return undefined;
  if (!found) return /^[\s>]*(?:<[^<>\n]*)?$/.test(text.slice(from)) ? (isLast ? { length: 1, text: '\\[' } : undefined) : asBracket;
  const host = judge.hostOf(found[1] ?? found[2] ?? '', true);
  return host === undefined ? asBracket : { length: end, text: `[link removed: ${host}]` };
}

const asBracket: Replacement = { length: 1, text: '[' };

/** Parses a destination behind a label that was read as text. An unreadable one is separated by a space, so that no renderer links it. */
function parseTarget(text: string, judge: Judge, isLast: boolean): Replacement {
  const target = readTarget(text, 2, isLast);
  if (target === undefined) return undefined;
  if (target === null) return { length: 2, text: '] (' };
  const host = judge.hostOf(target.destination, true);
  if (host !== undefined) return { length: target.end, text: `][link removed: ${host}]` };
  return { length: target.end, text: `](${judge.inner(text.slice(2, target.end - 1))})` };
}

/** Parses `destination "title")`. Returns `undefined` if the decision needs more text, `null` if it is no destination. */
function readTarget(
  text: string,
  from: number,
  isLast: boolean,
): { readonly destination: string; readonly end: number } | null | undefined {
  const more = isLast ? null : undefined;
  let i = from;
  while (/\s/.test(text.charAt(i))) i++;
  const begin = i;
  const isAngle = text.charAt(i) === '<';
  for (let depth = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\\') i++;
    else if (isAngle ? char === '>' || char === '\n' : /\s/.test(char)) break;
    else if (!isAngle && char === '(' && ++depth > maxDepth) return null;
    else if (!isAngle && char === ')' && --depth < 0) break;
  }
  if (i >= text.length) return more;
  if (isAngle && text.charAt(i) !== '>') return null;
  const destination = isAngle ? text.slice(begin + 1, i++) : text.slice(begin, i);
  while (/\s/.test(text.charAt(i))) i++;
  const quote = { '"': '"', "'": "'", '(': ')' }[text.charAt(i)];
  if (quote !== undefined) {
    for (i++; i < text.length && text.charAt(i) !== quote; i++) if (text.charAt(i) === '\\') i++;
    for (i++; /\s/.test(text.charAt(i)); ) i++;
  }
  if (i >= text.length) return more;
  return text.charAt(i) === ')' ? { destination, end: i + 1 } : null;
}

/** @param isVerbatim True when the URL occurs in the thread. */
function foreignHost(destination: string, { isAllowed }: LinkRule, isVerbatim: boolean): string | undefined {
  const unreadable = 'unreadable URL';
  const plain = destination
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore them in a URL
    .replace(/[\u0000-\u0020]/g, '')
    .replace(/^www\./i, 'https://www.');
  if (entity.test(plain)) return unreadable;
  const isNetwork = [plain, destination.trim()].some((one) => /^[\\/]{2}/.test(one));
  if (!isNetwork && !/^[a-z][a-z0-9+.-]*:/i.test(plain)) return undefined;
  const absolute = isNetwork ? `https:${plain}` : plain;
  const url = URL.canParse(absolute) ? new URL(absolute) : undefined;
  if (!url?.hostname) return unreadable;
  const isPlain = url.username === '' && url.password === '' && /^https?:$/.test(url.protocol);
  if (isPlain && (isVerbatim || isAllowed(url.hostname))) return undefined;
  return url.hostname.replace(/^www\./, '').slice(0, 100);
}
