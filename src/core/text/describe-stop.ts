/**
 * Answer of a stopped run, in Korean or English.
 *
 * @param reason for example the result of `describeError`.
 */
export const describeStop = (reason: string, { korean }: { readonly korean: boolean }): string =>
  `${korean ? '실행이 중단되었습니다' : 'Execution stopped'}: ${reason}`;
