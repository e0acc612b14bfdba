import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readZip, writeZip, type ZipProblem } from '../../../../../src/search/documents/docx/zip.ts';
import { makeZip } from '../../../../fixtures/make-docx.ts';

const ordinary = makeZip({ 'a.xml': `<a>${'글'.repeat(1_000)}</a>`, 'b.xml': '<b/>' });

const read = (archive: Uint8Array, maxBytes = 1_000_000): ReadonlyMap<string, Uint8Array> | ZipProblem =>
  readZip(archive, { maxBytes, isWanted: (name) => name.endsWith('.xml') });

const namesIn = (archive: Uint8Array): readonly string[] => {
  const files = read(archive);
  return 'problem' in files ? [files.problem] : [...files.keys()];
};

/** The ordinary archive with something changed in it. `list` is where its list of files begins, `end` where the record at its end does. */
function changed(change: (archive: Buffer, at: { readonly list: number; readonly end: number }) => void): Uint8Array {
  const archive = Buffer.from(ordinary);
  change(archive, { list: archive.indexOf('PK\x01\x02', 0, 'latin1'), end: archive.length - 22 });
  return archive;
}

describe('readZip', () => {
  it('returns the wanted files of an archive that makeZip wrote', () => {
    const files = new Map([
      ['a.xml', new TextEncoder().encode('<a/>')],
      ['__proto__.xml', new TextEncoder().encode('<c/>')],
    ]);
    const unpacked = (archive: Uint8Array) =>
      new Map([...(read(archive) as typeof files)].map(([name, file]) => [name, Uint8Array.from(file)]));
    expect(unpacked(makeZip({ 'a.xml': '<a/>', 'b.png': 'not read', '__proto__.xml': '<c/>' }))).toEqual(files);
    expect(unpacked(writeZip(files))).toEqual(files);
  });

  it('reads an archive with a comment, and trusts its list over the headers', () => {
    expect(namesIn(Buffer.concat([ordinary, Buffer.alloc(100)]))).toEqual(['a.xml', 'b.xml']);
    expect(namesIn(changed((archive) => archive.write('z.xml', 30)))).toEqual(['a.xml', 'b.xml']);
    expect(namesIn(changed((archive) => archive.writeUInt32LE(5, 22)))).toEqual(['a.xml', 'b.xml']);
  });

  it('does not unpack an archive inside an archive', () => {
    expect(namesIn(makeZip({ 'a.xml': '<a/>', 'inner.zip': Buffer.from(ordinary).toString('latin1') }))).toEqual(['a.xml']);
  });
});

describe('a hostile archive', () => {
  it.each<[string, Uint8Array]>([
    ['is empty', new Uint8Array()],
    ['is cut off at its end', ordinary.subarray(0, -10)],
    ['is cut off at its beginning', ordinary.subarray(40)],
    ['has something in front', Buffer.concat([Buffer.alloc(100), ordinary])],
    ['has a file whose sum is wrong', changed((archive, { list }) => archive.writeUInt32LE(1, list + 16))],
    ['has a file that was damaged', changed((archive) => archive.fill(0x55, 40, 44))],
    ['has a file outside of it', changed((archive, { list }) => archive.writeUInt32LE(1_000_000_000, list + 42))],
    ['has a file that would end outside of it', changed((archive, { list }) => archive.writeUInt32LE(1_000_000_000, list + 20))],
    ['has a list outside of it', changed((archive, { end }) => archive.writeUInt32LE(0xfffffff0, end + 16))],
    ['has fewer files than it says', changed((archive, { end }) => archive.writeUInt16LE(65_535, end + 10))],
    ['has no header where the list leads', changed((archive) => archive.writeUInt32LE(0, 0))],
    ['packs in a way that is not known', changed((archive, { list }) => archive.writeUInt16LE(12, list + 10))],
    ['has two files of one name', changed((archive, { list }) => archive.write('a.xml', archive.indexOf('b.xml', list)))],
    ['has a file that is shorter than its list says', makeZip({ 'a.xml': '<a/>' }, { declaredSize: 900_000 })],
    ['has a file that is longer than its list says', makeZip({ 'a.xml': ' '.repeat(5_000_000) }, { declaredSize: 10 })],
  ])('is broken when it %s', (_, archive) => {
    expect(namesIn(archive)).toEqual(['broken']);
  });

  it('is refused if its list declares too much for all files together', () => {
    const files = { 'a.xml': ' '.repeat(600_000), 'b.xml': ' '.repeat(600_000) };
    expect(read(makeZip(files), 1_200_000)).toBeInstanceOf(Map);
    expect(read(makeZip(files), 1_199_999)).toEqual({ problem: 'large' });
  });

  it('has the size of its list, even if entries share data', () => {
    const bomb = changed((archive, { list }) => {
      const second = archive.indexOf('PK\x01\x02', list + 4, 'latin1');
      archive.copy(archive, second + 10, list + 10, list + 28);
      archive.writeUInt32LE(0, second + 42);
    });
    expect(read(bomb, 6_014)).toBeInstanceOf(Map);
    expect(read(bomb, 6_013)).toEqual({ problem: 'large' });
  });

  it('is unpacked only up to the size in its list', () => {
    // 100 MB of one letter, ten of which are declared
    const packed = deflateRawSync(Buffer.alloc(100_000_000, 'x'));
    const archive = Buffer.from(writeZip(new Map([['a.xml', packed]])));
    const list = archive.indexOf('PK\x01\x02', 0, 'latin1');
    archive.writeUInt16LE(8, list + 10);
    archive.writeUInt32LE(10, list + 24);
    const before = process.memoryUsage().arrayBuffers;
    expect(namesIn(archive)).toEqual(['broken']);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it('is encrypted if one of its files is', () => {
    expect(namesIn(makeZip({ 'a.xml': '<a/>' }, { flags: 1 }))).toEqual(['encrypted']);
  });
});
