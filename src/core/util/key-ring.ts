import { WorkflowError } from '../errors/errors.ts';
import type { Json } from '../ports/json.ts';
import { fromBase64Url, toBase64Url } from './base64-url.ts';
import { isObject } from './is-object.ts';
import { parseJson } from './parse-json.ts';

/** Key of 32 random bytes, as bytes or as their base64, base64url or hexadecimal text. */
export type EncryptionKey = Uint8Array | string;

export interface EncryptOptions {
  /** Key that encrypts new values. */
  readonly key: EncryptionKey;
  /** Keys that values may still be encrypted with. @default [] */
  readonly previous?: readonly EncryptionKey[];
}

/** Position of a value: one that was moved to another position is rejected. */
export type ValuePlace = readonly (string | number)[];

/** Encrypts and decrypts values with the keys of a user. */
export interface KeyRing {
  /** Id of the key that encrypts. It reveals nothing of the key. */
  readonly id: string;
  /** Ids of all keys, the encrypting one first. */
  readonly ids: readonly string[];
  /** Encrypts a text. The result has the form `am1.KEY.NONCE.CIPHER`. */
  seal(place: ValuePlace, text: string): Promise<string>;
  /**
   * Decrypts a text of `seal`. @throws {WorkflowError} `STORE_KEY_INVALID` if its key is not in the ring; `JOURNAL_CORRUPT` if the text was
   * changed or moved.
   */
  open(place: ValuePlace, sealed: unknown): Promise<string>;
  /** Encrypts a value as JSON. */
  sealJson(place: ValuePlace, value: unknown): Promise<string>;
  /** Decrypts a value of `sealJson`. @throws {WorkflowError} as `open`. */
  openJson(place: ValuePlace, sealed: unknown): Promise<Json>;
}

const algorithm = 'AES-GCM';
const nonceBytes = 12;
const keyBytes = 32;
const prefix = 'am1';
const sealedHead = /^am1\.[\w-]{11}\.[\w-]{16}\.$/;
const headLength = 33;
const minCipherLength = 22;

/** True for a text that `seal` has returned. */
export const isSealed = (text: unknown): text is string =>
  typeof text === 'string' &&
  text.length >= headLength + minCipherLength &&
  sealedHead.test(text.slice(0, headLength)) &&
  !/[^\w-]/.test(text.slice(headLength)); // one expression over all of a long text overflows the stack

/** Id of the key that encrypted a text. */
export const sealingKeyOf = (sealed: string): string => sealed.slice(prefix.length + 1, prefix.length + 12);

/**
 * Checks the keys and imports them into Web Crypto.
 *
 * @returns a promise of the ring. Invalid keys are rejected before it.
 * @throws {WorkflowError} `STORE_KEY_INVALID`. The message does not contain the key.
 */
export function openKeyRing(options: EncryptOptions): Promise<KeyRing> {
  const { key, previous = [] } = isObject(options) ? (options as Partial<EncryptOptions>) : {};
  if (!Array.isArray(previous)) throw keyInvalid('encrypt.previous is not an array.');
  return importKeys(
    toKeyBytes('encrypt.key', key),
    previous.map((each, index) => toKeyBytes(`encrypt.previous[${index}]`, each)),
  );
}

async function importKeys(key: Uint8Array<ArrayBuffer>, previous: readonly Uint8Array<ArrayBuffer>[]): Promise<KeyRing> {
  const newest = await importKey(key);
  const others = await Promise.all(previous.map(importKey));
  const byId = new Map([newest, ...others].map(({ id, key }) => [id, key]));
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const boundTo = (place: ValuePlace): Uint8Array<ArrayBuffer> => encoder.encode(JSON.stringify(place));
  const seal: KeyRing['seal'] = async (place, text) => {
    const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const parameters = { name: algorithm, iv, additionalData: boundTo(place) };
    const cipher = await crypto.subtle.encrypt(parameters, newest.key, encoder.encode(text));
    return `${prefix}.${newest.id}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(cipher))}`;
  };
  const open: KeyRing['open'] = async (place, sealed) => {
    if (!isSealed(sealed)) throw valueCorrupt(place);
    const [, id = '', nonce = '', cipher = ''] = sealed.split('.');
    const key = byId.get(id);
    if (!key) throw keyMissing(id);
    const text = await decrypt(key, fromBase64Url(nonce), fromBase64Url(cipher), boundTo(place));
    if (!text) throw valueCorrupt(place);
    return decoder.decode(text);
  };
  return {
    id: newest.id,
    ids: [...byId.keys()],
    seal,
    open,
    sealJson: (place, value) => seal(place, JSON.stringify(value)),
    async openJson(place, sealed) {
      const value = parseJson(await open(place, sealed));
      if (value === undefined) throw valueCorrupt(place);
      return value;
    },
  };
}

async function decrypt(
  key: CryptoKey,
  iv: Uint8Array<ArrayBuffer> | undefined,
  cipher: Uint8Array<ArrayBuffer> | undefined,
  additionalData: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer | undefined> {
  if (!iv || !cipher) return undefined;
  try {
    return await crypto.subtle.decrypt({ name: algorithm, iv, additionalData }, key, cipher);
  } catch {
    return undefined; // Web Crypto gives no reason
  }
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly id: string; readonly key: CryptoKey }> {
  const named = new Uint8Array([...new TextEncoder().encode('agent-machines key '), ...bytes]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', named));
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['encrypt', 'decrypt']);
  return { id: toBase64Url(digest.subarray(0, 8)), key };
}

function toKeyBytes(name: string, key: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof key === 'string' ? key.trim() : undefined;
  const isHex = text !== undefined && /^[0-9a-f]{64}$/i.test(text);
  const bytes = text === undefined ? key : isHex ? fromHex(text) : fromBase64Url(text);
  if (bytes instanceof Uint8Array && bytes.length === keyBytes) {
    if (new Set(bytes).size > 1) return new Uint8Array(bytes); // a copy, because the caller may clear its own
    throw keyInvalid(`${name} repeats one byte.`);
  }
  const size = bytes instanceof Uint8Array ? `has ${bytes.length} bytes` : typeof key === 'string' ? 'is not base64' : 'is missing';
  throw keyInvalid(`${name} ${size}. A key has ${keyBytes} bytes.`);
}

const fromHex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

export const keyInvalid = (message: string, hint = 'Pass 32 random bytes, for example from `openssl rand -base64 32`.'): WorkflowError =>
  new WorkflowError({ code: 'STORE_KEY_INVALID', message, hint });

const keyMissing = (keyId: string): WorkflowError =>
  new WorkflowError({
    code: 'STORE_KEY_INVALID',
    message: `A value is encrypted with the key ${keyId}, which was not given.`,
    hint: 'Pass that key as encrypt.key, or as one of encrypt.previous.',
    data: { keyId },
  });

const valueCorrupt = (place: ValuePlace): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The encrypted value of ${place.join(' ')} was changed, or moved from another place.`,
    hint: 'Restore the store from a backup.',
  });
