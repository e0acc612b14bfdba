/** The one of some ids that is meant, however its words are joined: `plan-execute`, `plan_execute`. The very id goes before another spelling. */
export function idAmong(id: string, known: Iterable<string>): string | undefined {
  const ids = [...known];
  return ids.includes(id) ? id : ids.find((one) => joined(one) === joined(id));
}

const joined = (id: string): string => id.replaceAll('_', '-');
