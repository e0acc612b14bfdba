/** Groups a model's reasoning for events. */
export interface ReasoningParts {
  readonly add: (text: string) => void;
  /** Emits the rest. Pass `whole` for a reply in one piece, when nothing has been added. */
  readonly end: (whole?: string) => void;
}

/** Minimum length of an event's text. One event for each token would store thousands of events. */
const minChars = 400;

/** Joins a model's reasoning into longer paragraphs, none of them blank. */
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
