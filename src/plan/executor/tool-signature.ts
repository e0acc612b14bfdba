import type { JsonObject } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';

/**
 * Signature of a call; equal for the same tool and arguments, whatever the order of their keys.
 * @example toolSignature({ name: 'calculator', args: { expression: '1+1' } }) // 'calculator:{"expression":"1+1"}'
 */
export const toolSignature = ({ name, args }: { readonly name: string; readonly args: JsonObject }): string =>
  `${name}:${canonicalJson(args)}`;

/** The name of the tool in a signature. */
export const toolOfSignature = (signature: string): string => signature.slice(0, Math.max(0, signature.indexOf(':{')));
