/**
 * The places where a schema says something else than a type, as `runs[].id`; `never` when it says the same. A schema may say less by saying
 * nothing at all of what is in an object, or that a value is anything.
 *
 * @typeParam TValue The type.
 * @typeParam TSaid What the schema takes.
 */
export type Misfit<TValue, TSaid, TPlace extends string> = unknown extends TSaid
  ? never
  :
      | (undefined extends TValue ? (undefined extends TSaid ? never : TPlace) : undefined extends TSaid ? TPlace : never)
      | MisfitOf<Exclude<TValue, undefined>, Exclude<TSaid, undefined>, TPlace>;

type MisfitOf<TValue, TSaid, TPlace extends string> = [TValue] extends [readonly (infer TItem)[]]
  ? [TSaid] extends [readonly (infer TSaidItem)[]]
    ? Misfit<TItem, TSaidItem, `${TPlace}[]`>
    : TPlace
  : [TValue] extends [object]
    ? [TSaid] extends [object]
      ? MisfitOfMembers<TValue, TSaid, TPlace>
      : TPlace
    : [TValue] extends [TSaid]
      ? never
      : TPlace;

type MisfitOfMembers<TValue, TSaid, TPlace extends string> = [MemberOf<TSaid>] extends [never]
  ? never
  :
      | `${TPlace}.${Exclude<MemberOf<TValue>, MemberOf<TSaid>> | Exclude<MemberOf<TSaid>, MemberOf<TValue>>}`
      | { [K in MemberOf<TValue> & MemberOf<TSaid>]-?: Misfit<Member<TValue, K>, Member<TSaid, K>, `${TPlace}.${K}`> }[MemberOf<TValue> &
          MemberOf<TSaid>];

/** Those that are named; of one of several objects, those that all have. */
type MemberOf<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] } & string;

type Member<T, TKey extends string> = TKey extends keyof T ? T[TKey] : never;
