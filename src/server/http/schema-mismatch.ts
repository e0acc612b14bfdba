/**
 * Paths where a schema and a type disagree, such as `runs[].id`; `never` when they agree. A schema may be less specific: it may leave out
 * the contents of an object or accept any value.
 *
 * @typeParam TValue The type.
 * @typeParam TSaid The schema's input.
 */
export type SchemaMismatch<TValue, TSaid, TPlace extends string> = unknown extends TSaid
  ? never
  :
      | (undefined extends TValue ? (undefined extends TSaid ? never : TPlace) : undefined extends TSaid ? TPlace : never)
      | ValueMismatch<Exclude<TValue, undefined>, Exclude<TSaid, undefined>, TPlace>;

type ValueMismatch<TValue, TSaid, TPlace extends string> = [TValue] extends [readonly (infer TItem)[]]
  ? [TSaid] extends [readonly (infer TSaidItem)[]]
    ? SchemaMismatch<TItem, TSaidItem, `${TPlace}[]`>
    : TPlace
  : [TValue] extends [object]
    ? [TSaid] extends [object]
      ? MemberMismatch<TValue, TSaid, TPlace>
      : TPlace
    : [TValue] extends [TSaid]
      ? never
      : TPlace;

type MemberMismatch<TValue, TSaid, TPlace extends string> = [MemberOf<TSaid>] extends [never]
  ? never
  :
      | `${TPlace}.${Exclude<MemberOf<TValue>, MemberOf<TSaid>> | Exclude<MemberOf<TSaid>, MemberOf<TValue>>}`
      | {
          [K in MemberOf<TValue> & MemberOf<TSaid>]-?: SchemaMismatch<Member<TValue, K>, Member<TSaid, K>, `${TPlace}.${K}`>;
        }[MemberOf<TValue> & MemberOf<TSaid>];

/** Names of the declared members; for a union of objects, the members that all have. */
type MemberOf<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] } & string;

type Member<T, TKey extends string> = TKey extends keyof T ? T[TKey] : never;
