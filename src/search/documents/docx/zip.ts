import { crc32, inflateRawSync } from 'node:zlib';

export interface ZipLimits {
  /** Maximum size of all wanted files together, unpacked, in bytes. */
  readonly maxBytes: number;
  readonly isWanted: (name: string) => boolean;
}

/** The reason to reject a ZIP file. */
export interface ZipProblem {
  readonly problem: 'broken' | 'encrypted' | 'large';
}

/**
 * Returns the wanted files of a ZIP archive by name. It unpacks only files in the archive's list, and never more than their declared size.
 * So a zip bomb is rejected by its list, or stops at its declared size.
 */
export function readZip(archive: Uint8Array, { maxBytes, isWanted }: ZipLimits): ReadonlyMap<string, Uint8Array> | ZipProblem {
  // Decision 105: `fflate`, `yauzl` and `jszip` accept archives that this rejects.
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries = listEntries(view, isWanted);
  if (!entries) return { problem: 'broken' };
  if (entries.some(({ flags }) => flags & 1)) return { problem: 'encrypted' };
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxBytes) return { problem: 'large' };
  const files = new Map<string, Uint8Array>();
  for (const entry of entries) {
    const bytes = unpack(view, entry);
    if (!bytes || files.has(entry.name)) return { problem: 'broken' };
    files.set(entry.name, bytes);
  }
  return files;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

function listEntries(view: DataView, isWanted: (name: string) => boolean): readonly Entry[] | undefined {
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50) return undefined;
    const nameLength = view.getUint16(at + 28, true);
    if (at + 46 + nameLength > view.byteLength) return undefined;
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength));
    if (isWanted(name)) {
      entries.push({
        name,
        flags: view.getUint16(at + 8, true),
        method: view.getUint16(at + 10, true),
        crc: view.getUint32(at + 16, true),
        packedSize: view.getUint32(at + 20, true),
        size: view.getUint32(at + 24, true),
        offset: view.getUint32(at + 42, true),
      });
    }
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Returns the start of the record at the end of the archive. A comment of up to 65,535 bytes may follow it. */
function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= 0 && at >= view.byteLength - 22 - 65_535; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  return undefined;
}

function unpack(view: DataView, { method, crc, packedSize, size, offset }: Entry): Uint8Array | undefined {
  if (offset + 30 > view.byteLength || view.getUint32(offset, true) !== 0x04034b50) return undefined;
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packedSize > view.byteLength) return undefined;
  const packed = new Uint8Array(view.buffer, view.byteOffset + start, packedSize);
  const bytes = method === 0 ? packed : method === 8 ? inflate(packed, size) : undefined;
  return bytes?.length === size && crc32(bytes) === crc ? bytes : undefined;
}

function inflate(packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined; // zlib's own errors have a code
    throw error;
  }
}

/** Creates an archive of files, without compression. */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let offset = 0;
  for (const [fileName, bytes] of files) {
    const name = new TextEncoder().encode(fileName);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    common.setUint16(2, 0x800, true); // marks the name as UTF-8
    common.setUint32(10, crc32(bytes), true);
    common.setUint32(14, bytes.length, true);
    common.setUint32(18, bytes.length, true);
    common.setUint16(22, name.length, true);
    parts.push(numbers(0x04034b50), new Uint8Array(common.buffer), name, bytes);
    list.push(numbers(0x02014b50).slice(0, 4), new Uint8Array([20, 0]), new Uint8Array(common.buffer));
    list.push(new Uint8Array(10), numbers(offset), name);
    offset += 30 + name.length + bytes.length;
  }
  const listSize = list.reduce((sum, { length }) => sum + length, 0);
  const count = files.size | (files.size << 16);
  return Buffer.concat([...parts, ...list, numbers(0x06054b50, 0, count, listSize, offset), new Uint8Array(2)]);
}

function numbers(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value >>> 0, true);
  return new Uint8Array(view.buffer);
}
