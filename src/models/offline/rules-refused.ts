import { WorkflowError } from '../../core/errors/errors.ts';
import type { AnswerLanguage } from '../../core/text/describe-error.ts';

/**
 * Error for work that rules cannot do. `text` tells the user so, in the language of the request.
 *
 * @example throw rulesRefused('이 작업을 나눌 수 없습니다.', { korean: true })
 */
export const rulesRefused = (text: string, { korean }: AnswerLanguage): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_REFUSED',
    message: 'The offline rules cannot do this.',
    hint: 'A language model is needed for that: OPENAI_API_KEY, or a server of your own.',
    data: { text: `${text} ${korean ? '언어 모델이 필요합니다(OPENAI_API_KEY).' : 'A language model is needed (OPENAI_API_KEY).'}` },
  });
