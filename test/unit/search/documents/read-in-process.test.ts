import { describe, expect, it } from 'vitest';
import { writeZip } from '../../../../src/search/documents/docx/zip.ts';
import { readInProcess } from '../../../../src/search/documents/read-in-process.ts';

const maxTextLength = 1_000;

/** A page of operators alone: pdf.js works for minutes, and no timer fires meanwhile. */
const endlessPdf = (): Uint8Array => {
  const content = 'q '.repeat(400_000);
  return Buffer.from(
    `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>> endobj
4 0 obj <</Length ${content.length}>>
stream
${content}
endstream endobj
trailer <</Root 1 0 R>>`,
    'latin1',
  );
};

/** Every element becomes many objects of mammoth's. */
const fatDocx = (): Uint8Array => {
  const xml = (text: string): Uint8Array => new TextEncoder().encode(`<?xml version="1.0"?>${text}`);
  const office = 'http://schemas.openxmlformats.org';
  return writeZip(
    new Map([
      [
        '_rels/.rels',
        xml(
          `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
        ),
      ],
      [
        'word/document.xml',
        xml(
          `<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body><w:p>${'<w:r><w:t>a</w:t></w:r>'.repeat(200_000)}</w:p></w:body></w:document>`,
        ),
      ],
    ]),
  );
};

describe('documents that attack the reader', () => {
  it('are stopped at the time limit', async () => {
    await expect(readInProcess({ name: 'a.pdf', bytes: endlessPdf(), maxTextLength, timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      message: '"a.pdf" takes more than 1000 ms to read.',
    });
  });

  it('are stopped at an abort', async () => {
    const signal = AbortSignal.timeout(500);
    const reading = readInProcess({ name: 'a.pdf', bytes: endlessPdf(), maxTextLength, signal });
    await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('do not end the process when they fill its memory', async () => {
    await expect(readInProcess({ name: 'a.docx', bytes: fatDocx(), maxTextLength, maxHeapMb: 64 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      message: '"a.docx" takes more than 64 MB of memory to read.',
    });
  });
});
