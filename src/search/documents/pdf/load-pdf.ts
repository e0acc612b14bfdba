import { documentTooLarge, invalidDocument } from '../document-errors.ts';
import type { DocumentFile } from '../document-file.ts';
import { hasLargeStream } from './has-large-stream.ts';
import { koreanCMap } from './korean-cmaps.ts';
import { linesInColumns, type PdfPage } from './page-columns.ts';
import type { PlacedText } from './page-lines.ts';
import { withoutRunningLines } from './running-lines.ts';
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
    throw documentTooLarge(name, `has a part that unpacks to more than ${maxStreamBytes} bytes`, 'Save it as PDF again.');
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
      throw invalidDocument(name, `has a font whose character map "${unknown}" is not known`, 'Save it again with its fonts embedded.');
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
      throw new Error(`"${filename}" is not there.`);
    }
  };
}

function requireReadable(name: string, shown: string): void {
  const letters = shown.match(/\S/gu)?.length ?? 0;
  if (letters === 0) {
    throw invalidDocument(name, 'has no text: it has only pictures, as when it was scanned', 'Recognise its text (OCR) first.');
  }
  // a font without a character mapping yields control and private-use characters
  const unreadable = shown.match(/[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
  const counts = new Map<string, number>();
  for (const [control] of shown.matchAll(controls)) counts.set(control, (counts.get(control) ?? 0) + 1);
  // a single control character is the blank of a font that draws both with the same glyph
  const [, ...others] = [...counts.values()].sort((a, b) => b - a);
  if (others.reduce((sum, count) => sum + count, unreadable) * 5 > letters) {
    throw invalidDocument(name, 'has fonts that do not say which characters they show', 'Recognise its text (OCR) first.');
  }
}

function asDocumentError(name: string, cause: unknown): unknown {
  const kind = cause instanceof Error ? cause.name : '';
  if (kind === 'PasswordException') return invalidDocument(name, 'is encrypted', 'Save it without a password.', cause);
  if (kind === 'WorkflowError' || !(cause instanceof Error)) return cause;
  return invalidDocument(name, 'is not a PDF file, or broken', 'Save it as PDF again.', cause);
}
