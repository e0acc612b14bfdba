import type { Json, RunEvent, RunResult } from '../index.ts';
import { type HintContext, hintOf } from './error-hints.ts';
import { answerOf } from './question-and-answer.ts';
import { escapeControls, milliseconds, oneLine, paint } from './terminal.ts';
import { WaitLine } from './wait-line.ts';

/** Prints a conversation's answers as they arrive: text on standard output, everything else on standard error. */
export class ChatAnswers {
  /** True at a terminal, where progress is shown. */
  readonly #chatty: boolean;
  readonly #waiting: WaitLine | undefined;
  #streamed = '';
  #hasPrinted = false;
  /** True when a blank line precedes the next text. */
  #isOpen = false;

  /** @param chatty True at a terminal, where progress is shown and the user's input separates the answers. */
  constructor(chatty: boolean) {
    this.#chatty = chatty;
    this.#waiting = chatty ? new WaitLine() : undefined;
  }

  begin(): void {
    this.#streamed = '';
    this.#isOpen = this.#hasPrinted && !this.#chatty;
    this.#waiting?.start('thinking');
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'token':
        this.#write(escapeControls(event.text));
        this.#streamed += event.text;
        break;
      case 'step-reset':
        if (this.#streamed !== '') this.#tell('\n', 'yellow', '↻ the reply was cut off and starts again');
        this.#streamed = '';
        break;
      case 'tool-start':
        if (this.#streamed === '') this.#waiting?.start(event.tool);
        break;
      case 'tool-end':
        this.#note(`${event.tool} ${event.error ? `✗ ${event.error.code}` : '✓'} ${milliseconds(event.durationMs)}`);
        break;
      case 'sources':
        if (Array.isArray(event.sources) && event.sources.length > 0) this.#note(`looked into ${event.sources.join(', ')}`);
        break;
      case 'thinking':
        if (event.step === 'memory') this.#note(`${(event.content as { summarized?: number }).summarized ?? 0} messages were summarised`);
        break;
      default:
        break;
    }
  }

  finish(result: RunResult<unknown>, context: HintContext): void {
    if ('output' in result) {
      const answer = answerOf(result.output as Json);
      this.#write(this.#streamed.trim() === answer.trim() ? '\n' : `${escapeControls(answer)}\n`);
    } else if (this.#streamed !== '') this.#write('\n');
    if (result.status === 'waiting' || result.status === 'done') return; // the caller shows the question
    const why =
      result.status === 'failed' ? `${result.error.code}: ${result.error.message} ${hintOf(result.error, context)}` : result.status;
    this.#tell('', 'yellow', why);
  }

  stop(): void {
    this.#waiting?.stop();
  }

  #write(text: string): void {
    this.stop();
    process.stdout.write(this.#isOpen ? `\n${text}` : text);
    this.#isOpen = false;
    this.#hasPrinted = true;
  }

  /** Prints a note and restarts the wait line. */
  #note(text: string): void {
    if (!this.#chatty) return;
    this.#tell('', 'dim', `  ${oneLine(text)}`);
    if (this.#streamed === '') this.#waiting?.start('thinking');
  }

  #tell(before: string, style: 'dim' | 'yellow', text: string): void {
    this.stop();
    process.stderr.write(`${before}${paint(style, escapeControls(text.replaceAll('\n', ' ')))}\n`);
  }
}
