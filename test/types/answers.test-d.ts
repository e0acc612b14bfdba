// Checked by `tsc --noEmit`: a schema of an answer and its type that part are found, with the place.
import type { SchemaMismatch } from '../../src/server/http/schema-mismatch.ts';

interface Run {
  readonly id: string;
  readonly status: 'done' | 'failed';
  readonly output?: { readonly [key: string]: unknown };
  readonly parts: readonly { readonly at: number; readonly label?: string }[];
}

type Loose = { [key: string]: unknown };
type Same = Loose & {
  id: string;
  status: 'done' | 'failed';
  output?: Loose | undefined;
  parts: { at: number; label?: string | undefined }[];
};
type Place<TSaid> = SchemaMismatch<Run, TSaid, 'run'>;
type Is<TFound, TWanted> = [TFound] extends [TWanted] ? ([TWanted] extends [TFound] ? true : false) : false;

export const same: Is<Place<Same>, never> = true;
export const openObject: Is<Place<Loose>, never> = true;
export const anything: Is<Place<unknown>, never> = true;
export const looserText: Is<SchemaMismatch<{ a: 'one' }, { a: string }, 'x'>, never> = true;

export const missing: Is<Place<{ id: string; status: 'done' | 'failed'; parts: Same['parts'] }>, 'run.output'> = true;
export const added: Is<SchemaMismatch<{ a: string }, { a: string; b?: string | undefined }, 'x'>, 'x.b'> = true;
export const otherType: Is<SchemaMismatch<{ a: string }, { a: number }, 'x'>, 'x.a'> = true;
export const narrower: Is<SchemaMismatch<{ a: string }, { a: 'one' }, 'x'>, 'x.a'> = true;
export const required: Is<SchemaMismatch<{ a?: string }, { a: string }, 'x'>, 'x.a'> = true;
export const optional: Is<SchemaMismatch<{ a: string }, { a?: string | undefined }, 'x'>, 'x.a'> = true;
export const inList: Is<SchemaMismatch<{ a: { b: string }[] }, { a: { c: string }[] }, 'x'>, 'x.a[].b' | 'x.a[].c'> = true;
export const noList: Is<SchemaMismatch<{ a: string[] }, { a: string }, 'x'>, 'x.a'> = true;
// @ts-expect-error the place is said
export const unsaid: Is<SchemaMismatch<{ a: string }, { a: number }, 'x'>, never> = true;
