import type { Article } from '../contract-document.ts';

/** The target of a citation: a label, and the article with that label. */
export interface CitationTarget {
  readonly label: string;
  readonly articleId?: string;
  readonly paragraph?: string;
}

/** Looks up labels. */
export interface Labels {
  /**
   * Returns an article of the body. For a citation of `부칙 제2조`, returns one of the addenda, preferably of the citing article's own addenda.
   */
  article(label: string, citedInAddendaBy?: Article): CitationTarget;
  /** Returns `별지 1`; without a number, the only exhibit of its kind. */
  exhibit(kind: string, number: string): CitationTarget | undefined;
  /** Returns the articles of the body between two articles. */
  between(first: string, last: string, limit: number): readonly CitationTarget[];
  has(label: string): boolean;
  /** True if any label begins with `word`. */
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
  const at = (label: string, index: number | undefined): CitationTarget => {
    const id = index === undefined ? undefined : articles[index]?.id;
    return id === undefined ? { label } : { label, articleId: id };
  };
  const article = (label: string, by?: Article): CitationTarget => {
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
