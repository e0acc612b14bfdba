/**
 * The answer of a run that was stopped, in Korean or English.
 *
 * @param reason for example what `describeError` says.
 */
export const describeStop = (reason: string, { korean }: { readonly korean: boolean }): string =>
  `${korean ? '실행이 중단되었습니다' : 'Execution stopped'}: ${reason}`;
