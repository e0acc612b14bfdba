import type { Taint } from '../ports/taint.ts';
import { holdsPersonalData } from './personal-data.ts';

/**
 * Taint that a user's own words bring into a thread.
 *
 * @param as `private`: the application treats them as private data; `untrusted`: they come with text of others, such as a file.
 */
export const taintOfInput = (text: string, as: Pick<Taint, 'private' | 'untrusted'>): Taint => ({ ...as, user: holdsPersonalData(text) });
