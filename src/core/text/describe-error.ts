import type { ErrorInfo } from '../ports/error-info.ts';
import { isKorean } from './is-korean.ts';

/** Language of a text for end users. */
export interface AnswerLanguage {
  /** True for Korean; otherwise English. */
  readonly korean: boolean;
}

type FailureInfo = Pick<ErrorInfo, 'code' | 'message' | 'data'>;

/**
 * Describes an error to an end user in one or two sentences. The error's own message and hint address developers.
 *
 * @example describeError(error, { korean: false }) // 'The language model cannot be reached. Try again later.'
 */
export function describeError({ code, data }: Pick<FailureInfo, 'code' | 'data'>, { korean }: AnswerLanguage): string {
  // a model that refuses has told the user why
  const said = code === 'MODEL_REFUSED' ? data?.text : undefined;
  if (typeof said === 'string' && isOneLanguage(said, korean)) return said;
  const [, english, inKorean] = texts.find(([codes]) => codes.test(code)) ?? unexpected;
  return korean ? inKorean : english;
}

/**
 * Describes the failure of a tool to an end user: with the tool's message if that is in the language of the answer, or else by its code.
 *
 * @example describeFailure(error, { korean: false }) // 'The file "a.md" does not exist.'
 */
export function describeFailure({ code, message, data }: FailureInfo, { korean }: AnswerLanguage): string {
  if (isOneLanguage(message, korean)) return message;
  const [, file = ''] = /^(?:FILE|PATH)_/.test(code) ? (/"([^"]+)"/.exec(message) ?? []) : [];
  return `${describeError({ code, ...(data ? { data } : {}) }, { korean })}${file === '' ? '' : ` (“${file}”)`}`;
}

/** A Korean text contains Hangul; an English one contains none outside quotation marks. */
const isOneLanguage = (text: string, korean: boolean): boolean =>
  /\S/.test(text) && isKorean(text.replaceAll(/"[^"]*"|“[^”]*”/g, '')) === korean;

const later = { en: 'Try again later.', ko: '잠시 뒤에 다시 시도해 주세요.' };
const askOperator = { en: 'Tell the operator of this service.', ko: '서비스 운영자에게 알려 주세요.' };

/** Codes that an agent can meet, the English text and the Korean one. The first match counts. */
const texts: readonly (readonly [codes: RegExp, english: string, korean: string])[] = [
  [/^MODEL_UNAVAILABLE$/, `The language model cannot be reached. ${later.en}`, `언어 모델에 연결할 수 없습니다. ${later.ko}`],
  [
    /^MODEL_(?:STREAM_CUT|EMPTY)$/,
    'The answer of the language model was cut off. Ask again.',
    '언어 모델의 답이 끊겼습니다. 다시 물어봐 주세요.',
  ],
  [
    /^MODEL_OUTPUT_INVALID$/,
    'The language model gave an unusable answer. Ask again.',
    '언어 모델의 답을 쓸 수 없습니다. 다시 물어봐 주세요.',
  ],
  [/^MODEL_REFUSED$/, 'The language model refused to answer. Rephrase the question.', '언어 모델이 답하지 않았습니다. 질문을 바꿔 주세요.'],
  [/^MODEL_TRUNCATED$/, 'The answer became too long. Ask for less at once.', '답이 너무 길어졌습니다. 한 번에 더 적게 물어봐 주세요.'],
  [
    /^(?:MODEL_CONTEXT_FULL|CONTEXT_TOO_SMALL)$/,
    'The conversation is too long for the language model. Start a new one, or ask for less.',
    '대화가 언어 모델에 비해 너무 깁니다. 새 대화를 시작하거나 더 적게 물어봐 주세요.',
  ],
  [
    /^MODEL_INPUT_UNSUPPORTED$/,
    'The language model cannot read this file. Ask without it.',
    '언어 모델이 이 파일을 읽지 못합니다. 파일 없이 물어봐 주세요.',
  ],
  [/^MODEL_/, `The language model is not set up correctly. ${askOperator.en}`, `언어 모델의 설정이 올바르지 않습니다. ${askOperator.ko}`],
  [
    /^ADAPTER_MISSING$/,
    `A part of this service is not installed. ${askOperator.en}`,
    `이 서비스에 필요한 부분이 설치되어 있지 않습니다. ${askOperator.ko}`,
  ],
  [
    /^(?:PLAN_|TOOL_CALL_INVALID$|TOOL_UNKNOWN$)/,
    'A planned step is not allowed, so it was not executed.',
    '계획한 작업이 허용되지 않아 실행하지 않았습니다.',
  ],
  [/^(?:TOOL_UNAVAILABLE$|MCP_)/, 'The tool is not available.', '지금은 쓸 수 없는 도구입니다.'],
  [/^GUARD_FAILED$/, `A check of the text is not available. ${later.en}`, `내용을 검사할 수 없습니다. ${later.ko}`],
  [/^GUARD_HELD$/, 'A human must see this text first, so it is not shown.', '사람이 먼저 확인해야 하는 내용이라 보여 드리지 않습니다.'],
  [/^GUARD_/, 'The rules of this service do not allow this text.', '이 서비스의 규칙이 허용하지 않는 내용입니다.'],
  [/^CALL_(?:REJECTED|NEEDS_APPROVAL)$/, 'The call was not approved, so it was not made.', '승인되지 않아 실행하지 않았습니다.'],
  [/^CALL_/, 'It is unknown whether the last action was done.', '마지막 작업이 실행되었는지 알 수 없습니다.'],
  [
    /TIMEOUT$/,
    'It took too long. Try again later, or ask for less at once.',
    '너무 오래 걸렸습니다. 잠시 뒤에 다시 시도하거나 더 적게 물어봐 주세요.',
  ],
  [/TOO_LARGE$|^PYTHON_MEMORY$/, 'The data is too large. Ask for less.', '자료가 너무 큽니다. 더 적게 요청해 주세요.'],
  [/^EXPRESSION_INVALID$/, 'The formula cannot be calculated.', '계산할 수 없는 식입니다.'],
  [/^TIME_ZONE_UNKNOWN$/, 'The time zone is unknown.', '알 수 없는 시간대입니다.'],
  [/^FILE_NOT_FOUND$/, 'The file does not exist.', '파일이 없습니다.'],
  [/^(?:FILE_|PATH_|DOCUMENT)/, 'The file cannot be read.', '읽을 수 없는 파일입니다.'],
  [/^(?:FETCH_FAILED|ADDRESS_NOT_ALLOWED)$/, 'The web address cannot be reached.', '웹 주소에 연결할 수 없습니다.'],
  [
    /^(?:RETRIEVER|INDEX|EMBEDDER|VECTOR)_/,
    `The documents cannot be searched. ${later.en}`,
    `지금은 문서를 찾아볼 수 없습니다. ${later.ko}`,
  ],
  [/^MEMORY_/, 'It could not be remembered.', '기억해 두지 못했습니다.'],
  [
    /^BUDGET_EXCEEDED$/,
    'The budget for the language model is used up. The work can continue once it is raised.',
    '언어 모델 예산을 다 썼습니다. 예산을 늘리면 이어서 할 수 있습니다.',
  ],
  [
    /^(?:LIMIT_EXCEEDED|ENDLESS_LOOP)$/,
    'The work needs more steps than allowed. Ask for less at once.',
    '허용된 것보다 많은 작업이 필요합니다. 더 적게 요청해 주세요.',
  ],
  [/^(?:TOOL|PYTHON)_/, 'A tool failed.', '도구가 작업을 마치지 못했습니다.'],
  [/^(?:INPUT|EVENT|ID|VALUE|PATCH)_/, 'The input cannot be used.', '쓸 수 없는 입력입니다.'],
];

const unexpected = [
  /$/,
  `An unexpected error occurred. ${askOperator.en}`,
  `예상하지 못한 오류가 발생했습니다. ${askOperator.ko}`,
] as const;
