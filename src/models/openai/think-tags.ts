import { overlap } from '../../core/util/overlap.ts';

/** A piece of a reply: of the answer, or of the reasoning before it. */
export interface ReplyPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Separates reasoning from the answer, for servers that send both in one text, with the reasoning between `<think>` and `</think>` at the
 * beginning.
 */
export interface ThinkTags {
  readonly add: (text: string) => readonly ReplyPiece[];
  /** Returns the text that was held back. */
  readonly end: () => readonly ReplyPiece[];
}

const names = ['think', 'thinking', 'thought'];
const opening = new RegExp(`^\\s*<(?<name>${names.join('|')})>`);
const openings = names.map((name) => `<${name}>`);

/** Parses a text in pieces of any size. The tags are removed. */
export function thinkTags(): ThinkTags {
  let held = '';
  let closing: string | undefined;
  let isAnswer = false;
  let hasThought = false;

  const begin = (): readonly ReplyPiece[] => {
    if (hasThought) held = held.trimStart();
    const name = opening.exec(held)?.groups?.name;
    if (name !== undefined) {
      held = held.replace(opening, '');
      closing = `</${name}>`;
      hasThought = true;
      return think();
    }
    const start = held.trimStart();
    if (openings.some((tag) => tag.startsWith(start))) return [];
    isAnswer = true;
    return take('text', held.length);
  };
  const think = (): readonly ReplyPiece[] => {
    const at = held.indexOf(closing ?? '');
    if (at < 0) return take('reasoning', held.length - overlap(held, closing ?? ''));
    const thought = take('reasoning', at);
    held = held.slice(closing?.length);
    closing = undefined;
    return [...thought, ...begin()];
  };
  const take = (kind: ReplyPiece['kind'], length: number): readonly ReplyPiece[] => {
    const text = held.slice(0, length);
    held = held.slice(length);
    return text === '' ? [] : [{ kind, text }];
  };
  return {
    add(text) {
      held += text;
      if (isAnswer) return take('text', held.length);
      return closing === undefined ? begin() : think();
    },
    end: () => take(closing === undefined ? 'text' : 'reasoning', held.length),
  };
}

/** A closing tag whose opening tag was in the prompt: at the end of a line, and not quoted. */
const lone = /(?<!`)<\/(?:think|thinking|thought)>(?!`)[ \t]*(?:\n|$)/;

/** An opening tag anywhere: the closing one then belongs to it, as in a text about such tags. */
const anyOpening = /<(?:think|thinking|thought)>/;

/** Splits a text whose reasoning has no opening tag, because some servers put that tag into the prompt. */
export function splitLoneClosing(text: string): { readonly thought: string; readonly text: string } {
  const found = lone.exec(text);
  if (!found || anyOpening.test(text.slice(0, found.index))) return { thought: '', text };
  return { thought: text.slice(0, found.index).trim(), text: text.slice(found.index + found[0].length).trimStart() };
}
