import { constants, inflateSync } from 'node:zlib';
import { documentTooLarge, invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import { koreanCMap } from './korean-cmaps.ts';
import { linesInColumns, type PdfPage } from './page-columns.ts';
import type { PageLine, PlacedText } from './page-lines.ts';
import { unwrapped } from './wrapped-lines.ts';

interface PdfFile extends DocumentFile {
  readonly maxTextLength: number;
}

// a full-page picture is smaller, unless its resolution exceeds any scan of text
const maxStreamBytes = 128_000_000;

// a font with one glyph for 人 and the radical ⼈ may map both to the radical
const radicals = /[\u2f00-\u2fd5]/g;

const controls = /(?![\n\t])\p{Cc}/gu;

/** Returns the text of a PDF file, one line per paragraph, without page numbers and the repeated lines above and below. */
export async function loadPdf({ name, bytes, maxTextLength, signal }: PdfFile): Promise<string> {
  if (hasLargeStream(bytes, maxStreamBytes)) {
    throw documentTooLarge(name, `has a part that unpacks to more than ${maxStreamBytes} bytes`, 'Save it again as PDF.');
  }
  const { getResolvedPDFJS } = await import('unpdf');
  const { getDocument, VerbosityLevel } = await getResolvedPDFJS();
  const unknownMaps = new Set<string>();
  const task = getDocument({
    data: new Uint8Array(bytes), // a copy, because pdf.js takes ownership
    verbosity: VerbosityLevel.ERRORS,
    useSystemFonts: false,
    disableFontFace: true,
    cMapUrl: 'named:/',
    cMapPacked: false,
    BinaryDataFactory: cMapFactory(unknownMaps),
  });
  const stop = (): void => void task.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const pdf = await task.promise;
    const pages: PdfPage[] = [];
    let shown = '';
    for (let number = 1; number <= pdf.numPages; number++) {
      signal?.throwIfAborted();
      const page = await pdf.getPage(number);
      const items = (await page.getTextContent()).items.filter((item) => 'str' in item).filter(({ str }) => str !== '');
      // rotates the page so that most of its letters are upright
      const view = page.getViewport({ scale: 1, rotation: rotationOf(items) ?? page.rotate });
      const upright = items.filter(({ transform }) => Math.abs((angleOf(transform) % 90) - 45) > 40);
      const placed: PlacedText[] = [];
      // drops slanted text such as a diagonal DRAFT, but not on a page that was scanned at an angle
      for (const item of upright.length * 2 > items.length ? upright : items) {
        const [x, y] = view.convertToViewportPoint(item.transform[4], item.transform[5]);
        const size = Math.hypot(item.transform[2], item.transform[3]) || item.height;
        placed.push({
          text: item.str.replace(controls, ' ').replace(radicals, (radical) => radical.normalize('NFKC')),
          x,
          y,
          width: item.width,
          size,
        });
        shown += item.str;
      }
      if (shown.length > maxTextLength) throw documentTooLarge(name, `has more than ${maxTextLength} characters`, 'Split it.');
      pages.push({ pieces: placed, width: view.width, height: view.height });
      page.cleanup();
    }
    const [unknown] = unknownMaps;
    if (unknown !== undefined) {
      throw invalidDocument(name, `has a font with the unknown character map "${unknown}"`, 'Save it again with its fonts embedded.');
    }
    requireReadable(name, shown);
    return unwrapped(withoutRunningLines(linesInColumns(pages)));
  } catch (cause) {
    signal?.throwIfAborted();
    throw asDocumentError(name, cause);
  } finally {
    signal?.removeEventListener('abort', stop);
    await task.destroy();
  }
}

/** Returns the direction of a text, counterclockwise, from 0 to 360. */
const angleOf = ([a = 0, b = 0]: readonly number[]): number => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/** Returns the quarter turn of most letters. */
function rotationOf(items: readonly { readonly str: string; readonly transform: readonly number[] }[]): number | undefined {
  const letters = new Map<number, number>();
  for (const { str, transform } of items) {
    const turn = (Math.round(angleOf(transform) / 90) % 4) * 90;
    letters.set(turn, (letters.get(turn) ?? 0) + str.length);
  }
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Returns the class that pdf.js instantiates to fetch a character map by its name. */
function cMapFactory(unknown: Set<string>): new () => object {
  return class {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
      const map = kind === 'cMapUrl' ? koreanCMap(filename) : undefined;
      if (map !== undefined) return new TextEncoder().encode(map);
      if (kind === 'cMapUrl') unknown.add(filename);
      throw new Error(`"${filename}" does not exist.`);
    }
  };
}

function requireReadable(name: string, shown: string): void {
  const letters = shown.match(/\S/gu)?.length ?? 0;
  if (letters === 0) {
    throw invalidDocument(name, 'has no text, only scanned pictures', 'Recognise its text (OCR) first.');
  }
  // a font without a character mapping yields control and private-use characters
  const unreadable = shown.match(/[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
  const counts = new Map<string, number>();
  for (const [control] of shown.matchAll(controls)) counts.set(control, (counts.get(control) ?? 0) + 1);
  // a single control character is the blank of a font that draws both with the same glyph
  const [, ...others] = [...counts.values()].sort((a, b) => b - a);
  if (others.reduce((sum, count) => sum + count, unreadable) * 5 > letters) {
    throw invalidDocument(name, 'has fonts without a character map', 'Recognise its text (OCR) first.');
  }
}

function asDocumentError(name: string, cause: unknown): unknown {
  const kind = cause instanceof Error ? cause.name : '';
  if (kind === 'PasswordException') return invalidDocument(name, 'is encrypted', 'Save it without a password.', cause);
  if (kind === 'WorkflowError' || !(cause instanceof Error)) return cause;
  return invalidDocument(name, 'is not a PDF file, or is damaged', 'Save it again as PDF.', cause);
}

const maxLayers = 3;
// maximum compression ratio of zlib
const maxRatio = 1_032;
// compressed data does not contain the word by chance, and checking many overlapping pieces takes long
const maxStreams = 16;

/**
 * True if a stream of a PDF file unpacks to more than `maxBytes`: pdf.js unpacks whole streams, and would use all memory. Detects Flate
 * streams, also with several layers. An LZW stream, a format obsolete for decades, counts as large if its length allows it. Also true for a
 * file that is crafted to make this check slow.
 */
function hasLargeStream(bytes: Uint8Array, maxBytes: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = -1;
  let streams = 0;
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    // otherwise the word is part of a text
    if (!/>>\s{0,16}$/.test(file.toString('latin1', Math.max(0, at - 18), at))) continue;
    let start = at + 6;
    while (file[start] === 0x0d || file[start] === 0x0a || file[start] === 0x20) start++;
    if (end < start) {
      end = file.indexOf('endstream', start);
      if (end < 0) end = file.length;
      streams = 0;
    }
    if (++streams > maxStreams) return true;
    const dictionary = file.toString('latin1', Math.max(0, at - 1_000), at);
    const own = dictionary.slice(dictionary.lastIndexOf(' obj') + 1);
    const mayBeLarge = (end - start) * maxRatio > maxBytes;
    if (mayBeLarge && /\/LZW/.test(own)) return true;
    if (!mayBeLarge && (own.match(/\/Fl/g)?.length ?? 0) < 2) continue;
    let content = file.subarray(start, end);
    for (let layer = 0; layer < maxLayers && isCompressed(content); layer++) {
      const unpacked = inflate(content, maxBytes);
      if (unpacked === 'large') return true;
      if (unpacked === undefined) break;
      content = unpacked;
    }
  }
  return false;
}

/** True for the two bytes at the start of zlib data. */
const isCompressed = (bytes: Uint8Array): boolean => {
  const [method = 0, check = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + check) % 31 === 0;
};

function inflate(bytes: Uint8Array, maxBytes: number): Buffer | 'large' | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // pdf.js reads broken data as far as possible
    return error.code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : undefined;
  }
}

// share of the page at its top and bottom; repeated lines further in stay
const margin = 0.12;

interface NumberedLine {
  readonly page: number;
  readonly line: PageLine;
  readonly numbers: readonly number[];
}

/**
 * Returns the pages without page numbers and running lines. A running line repeats at the top or bottom of many pages, and differs only in
 * the page number.
 */
function withoutRunningLines(pages: readonly (readonly PageLine[])[]): readonly (readonly PageLine[])[] {
  const groups = new Map<string, NumberedLine[]>();
  for (const [page, lines] of pages.entries()) {
    for (const line of lines) {
      if (line.place > margin && line.place < 1 - margin) continue;
      const key = `${Math.round(line.place * 100)} ${line.text.replace(/\d+/g, '#')}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push({ page, line, numbers: (line.text.match(/\d+/g) ?? []).map(Number) });
    }
  }
  const running = new Set<PageLine>();
  for (const group of groups.values()) {
    const onPages = new Set(group.map(({ page }) => page)).size;
    const isRunning = onPages >= Math.max(2, pages.length * 0.4) && isNumberedByPage(group);
    for (const { line, page } of group) {
      if (isRunning || isPageNumber(line.text, page + 1, pages.length)) running.add(line);
    }
  }
  return pages.map((lines) => lines.filter((line) => !running.has(line)));
}

/** True if each number of the lines is the same on all pages, or increases by one per page. */
function isNumberedByPage(group: readonly NumberedLine[]): boolean {
  const [first] = group;
  if (!first) return false;
  return first.numbers.every((number, at) => {
    const same = group.every(({ numbers }) => numbers[at] === number);
    const counted = group.every(({ page, numbers }) => (numbers[at] ?? 0) - page === number - first.page);
    // 제1조, 제2조, … may well be the first lines of successive pages
    return same || (counted && !/^(?:제\s*\d|article|section|\d+\.)/i.test(first.line.text));
  });
}

/** True for `- 3 -`, `3 / 12`, `Page 3 of 12` on page 3 of 12. */
function isPageNumber(text: string, page: number, pages: number): boolean {
  const found = /^(?:[-–—]\s?(\d{1,4})\s?[-–—]|(?:page )?(\d{1,4})\s?(?:\/|of)\s?(\d{1,4}))$/i.exec(text);
  if (!found) return false;
  return Number(found[1] ?? found[2]) === page && (found[3] === undefined || Number(found[3]) === pages);
}
