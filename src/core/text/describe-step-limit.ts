/** Says that an agent has used up its steps before it had an answer. */
export const describeStepLimit = (steps: number, { korean }: { readonly korean: boolean }): string =>
  korean
    ? `답을 찾기 전에 ${steps}단계를 다 써서 멈추었습니다.`
    : `I stopped after ${steps} ${steps === 1 ? 'step' : 'steps'}, before there was an answer.`;
