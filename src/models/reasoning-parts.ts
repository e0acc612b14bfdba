/** What a model thinks, on its way into events. */
export interface ReasoningParts {
  readonly add: (text: string) => void;
  /** Tells what is left; `whole` when nothing has been added, for a reply that came in one piece. */
  readonly end: (whole?: string) => void;
}

/** An event for each token would be thousands, which are stored. */
const minChars = 400;

/** Joins what a model thinks to paragraphs of some length, none of them blank. */
export function reasoningParts(tell: (text: string) => void): ReasoningParts {
  let held = '';
  let told = false;
  const flush = (text: string): void => {
    if (text.trim() === '') return;
    told = true;
    tell(text.trim());
  };
  return {
    add(text) {
      held += text;
      const end = held.lastIndexOf('\n\n');
      if (end < minChars) return;
      flush(held.slice(0, end));
      held = held.slice(end);
    },
    end(whole = '') {
      if (held !== '') flush(held);
      else if (!told) flush(whole);
      held = '';
    },
  };
}
