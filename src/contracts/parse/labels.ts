import type { Article } from '../contract-document.ts';

/** What a citation means: a label, and the article that has it. */
export interface Meant {
  readonly label: string;
  readonly articleId?: string;
  readonly paragraph?: string;
}

/** Looks labels up. */
export interface Labels {
  /** An article of the body, or, for one who cites `부칙 제2조`, of the addenda: of the same ones where they have it. */
  article(label: string, citedInAddendaBy?: Article): Meant;
  /** `별지 1`; without a number the only one of its kind. */
  exhibit(kind: string, number: string): Meant | undefined;
  /** What stands between two articles of the body. */
  between(first: string, last: string, limit: number): readonly Meant[];
  has(label: string): boolean;
  /** Whether any label begins so. */
  hasKind(word: string): boolean;
}

export function labelsOf(articles: readonly Article[]): Labels {
  const body = new Map<string, number>();
  const exhibits = new Map<string, number>();
  const addenda = new Map<string, number[]>();
  const kinds = new Set<string>();
  articles.forEach(({ part, label }, i) => {
    kinds.add(label.split(' ')[0] ?? label);
    if (part === 'addenda') {
      const same = addenda.get(label);
      if (same) same.push(i);
      else addenda.set(label, [i]);
    } else if (part === 'exhibit' && !exhibits.has(label)) exhibits.set(label, i);
    else if (part === 'body' && !body.has(label)) body.set(label, i);
  });
  const at = (label: string, index: number | undefined): Meant => {
    const id = index === undefined ? undefined : articles[index]?.id;
    return id === undefined ? { label } : { label, articleId: id };
  };
  const article = (label: string, by?: Article): Meant => {
    if (by === undefined) return at(label, body.get(label) ?? exhibits.get(label));
    const own = addenda.get(label) ?? [];
    return at(label, by.part === 'addenda' ? (own.findLast((i) => (articles[i]?.start ?? 0) <= by.start) ?? own[0]) : own[0]);
  };
  return {
    article,
    exhibit: (kind, number) => {
      const label = `${kind}${number}`;
      if (exhibits.has(label) || number !== '') return at(label, exhibits.get(label));
      const ofKind = [...exhibits.keys()].filter((one) => one.startsWith(`${kind} `));
      const [only] = ofKind;
      return only !== undefined && ofKind.length === 1 ? at(only, exhibits.get(only)) : undefined;
    },
    between: (first, last, limit) => {
      const from = body.get(first);
      const to = body.get(last);
      if (from !== undefined && to !== undefined) {
        return articles
          .slice(from + 1, Math.min(to, from + 1 + limit))
          .flatMap(({ part, label, id }) => (part === 'body' ? [{ label, articleId: id }] : []));
      }
      const numbers = [first, last].map((label) => Number(/^제(\d+)조$/.exec(label)?.[1] ?? Number.NaN));
      const [a = Number.NaN, b = Number.NaN] = numbers;
      return b - a <= limit ? Array.from({ length: Math.max(0, b - a - 1) }, (_, i) => article(`제${a + 1 + i}조`)) : [];
    },
    has: (label) => body.has(label) || exhibits.has(label),
    hasKind: (word) => kinds.has(word),
  };
}
