import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Turns the marks around pasted text on and off. */
const marks = { on: '\x1b[?2004h', off: '\x1b[?2004l' };
const begin = '\x1b[200~';
const end = '\x1b[201~';

export interface PasteInput {
  /** The input for a line editor: each paste of several lines is one word such as `[paste 1: 12 lines]`. */
  readonly input: Transform;
  /** Puts the pasted texts back into a line. */
  expand(line: string): string;
  /** Restores the terminal, and releases the input. */
  close(): void;
}

/** Keeps the pastes of a terminal whole. Otherwise each pasted line would be a message of its own. */
export function pasteInput(
  terminal: NodeJS.ReadableStream & { setRawMode?(mode: boolean): unknown },
  output: NodeJS.WritableStream,
): PasteInput {
  const pasted: string[] = [];
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const note = (text: string): string => {
    const lines = text.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
    if (!lines.includes('\n')) return lines;
    return nameOf(pasted.push(lines), lines);
  };
  const input = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest += decoder.write(chunk);
      let out = '';
      for (;;) {
        const from = rest.indexOf(begin);
        const to = from < 0 ? -1 : rest.indexOf(end, from);
        if (to < 0) {
          // keeps an unfinished paste, or a mark that the chunk has cut
          const kept = from < 0 ? cutMark(rest) : rest.length - from;
          out += rest.slice(0, rest.length - kept);
          rest = rest.slice(rest.length - kept);
          done(null, out);
          return;
        }
        out += rest.slice(0, from) + note(rest.slice(from + begin.length, to));
        rest = rest.slice(to + end.length);
      }
    },
    flush(done) {
      done(null, rest);
    },
  });
  terminal.pipe(input);
  output.write(marks.on);
  if (terminal.setRawMode) Object.assign(input, { setRawMode: (mode: boolean) => terminal.setRawMode?.(mode) });
  return {
    input,
    expand: (line) => pasted.reduce((text, lines, index) => text.replace(nameOf(index + 1, lines), () => lines), line),
    close() {
      output.write(marks.off);
      terminal.unpipe(input);
      terminal.pause();
    },
  };
}

const nameOf = (number: number, lines: string): string => `[paste ${number}: ${lines.split('\n').length} lines]`;

/** Length of the beginning of a mark at the end of a text. */
function cutMark(text: string): number {
  let length = begin.length - 1;
  while (length > 0 && !text.endsWith(begin.slice(0, length))) length -= 1;
  return length;
}
