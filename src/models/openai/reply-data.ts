import { type ErrorContext, isPage, pageInstead } from './openai-error.ts';
import { SseDecoder } from './server-sent-events.ts';

const maxPageChars = 20_000;

export interface ReplyData {
  readonly data: string;
  /** True for the whole response, false for an event of a stream. */
  readonly isDocument: boolean;
}

/** Decodes a response to the data of each event, or to its whole text if that is a JSON object: some servers ignore the requested mode. */
export class ReplyDataDecoder {
  readonly #context: ErrorContext;
  readonly #events = new SseDecoder();
  /** Text of a document or page, or the beginning of something not yet known. */
  #text = '';
  #form: 'unknown' | 'document' | 'page' | 'events' = 'unknown';

  constructor(context: ErrorContext) {
    this.#context = context;
  }

  /** @throws {WorkflowError} `MODEL_STREAM_CUT` for a long web page. */
  push(piece: string): readonly ReplyData[] {
    if (this.#form === 'events') return this.#events.push(piece).map(ofEvent);
    this.#text += piece;
    if (this.#form === 'unknown' && this.#text.trimStart().length >= 2) return this.#recognize();
    if (this.#form === 'page' && this.#text.length >= maxPageChars) throw pageInstead(this.#context, this.#text);
    return [];
  }

  /** Returns what only the end of the response completes. @throws {WorkflowError} `MODEL_STREAM_CUT` for a web page. */
  end(): readonly ReplyData[] {
    const begun = this.#form === 'unknown' ? this.#recognize() : [];
    if (this.#form === 'document') return [...begun, { data: this.#text, isDocument: true }];
    if (this.#form === 'page') throw pageInstead(this.#context, this.#text);
    return [...begun, ...this.#events.end().map(ofEvent)];
  }

  #recognize(): readonly ReplyData[] {
    this.#form = this.#text.trimStart().startsWith('{') ? 'document' : isPage(this.#text) ? 'page' : 'events';
    return this.#form === 'events' ? this.#events.push(this.#text).map(ofEvent) : [];
  }
}

const ofEvent = (data: string): ReplyData => ({ data, isDocument: false });
