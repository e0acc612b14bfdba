import { contentWords } from '../../core/text/content-words.ts';

const endings =
  '(?:나요?|는지|은지|는데|니|니까|냐|네|을까요?|까요?|습니까|으?면|으?려면|어?야만?|야지|도|고|지|지요|죠|요|어요|아요|여요|며|은|는|을|게|서|기|라고|다고|거나|던|어서|아서|줄|줘|주)';
const stems =
  '(?:하|해|되|돼|있|없|않|주|줘|받|받아|내|나|나오|나와|생기|들|들어주|써|쓰|가|오|와|지|알려주|말하|말해|보내|그러|그래|떼|물어|쳐주|어떡하|어떡해)';
/** Verbs without topical meaning in a question: `내야`, `받을`, `되나요`. */
const asking = new RegExp(`^${stems}${endings}{1,3}$`);
/** Question words, numerals and pronouns. */
const helper =
  /^(?:[할될줄낼쓸볼올갈]|언제|어디|왜요?|안|못|때|데서?|것|거|건|걸|게|것[은도이을]|걸로|건가요|누구|아무|어느|무슨|몇|번까지|[번부통개명회년월일두한]|중에?|우리|저희|제|제가|내|내가|저[는도]?|꼭|다시|바로|미리|먼저|같은|같이|다른|얼마[를씩]|일[은을이]?|뭘|이거|그거|없는|있는|해도|하면안|모두|만큼|정도|동안|최대|처음에?|때문에|계약서?에)$/;
/** Copula endings: `책임인가요`, `누구예요` */
const copula = /(?:인가요?|인지요?|이에요|예요|입니까|일까요?|이야|이죠)$/;
/** Verb endings after a noun, which carries the meaning: `연장되나요`, `작업할`, `신고하면`. */
const verbal = /(?<=[가-힣]{2})(?:하|해|했|할|한|합|되|돼|됐|된|될|됩|받|시키|시켜)[가-힣]{0,5}$/;
const particle = /(?<=[가-힣]{2})(?:도|만|이나|나|랑|이랑|한테|마다|씩|용)$/;
/** Words of nearly every contract: an article with only these is off topic. */
const common = new Set(
  '계약 계약서 기간 기한 시간 금액 비용 의무 책임 권리 조항 사항 금지 방법 절차 기준 한도 시기 여부 당사자 상대방 경우 내용 조건 회사 지급 이용 사용 제공 보장 지원 부담 가입'.split(
    ' ',
  ),
);
const commonWeight = 0.4;

/** A word of a question, in the forms that a contract may use. */
export interface AskedWord {
  readonly forms: readonly string[];
  /** Weight; lower for a word of nearly every contract. */
  readonly weight: number;
}

/** Returns the topical words of a question, without its question words. Returns nothing for `언제까지 쓸 수 있나요?` */
export const askedWords = (question: string): readonly AskedWord[] =>
  contentWords(question)
    .split(' ')
    .map((word) => word.replace(copula, ''))
    .filter((word) => word !== '' && !asking.test(word) && !helper.test(word))
    .map((word) => {
      const forms = [...new Set([word, word.replace(verbal, ''), word.replace(particle, '')])];
      return { forms, weight: forms.some((form) => common.has(form)) ? commonWeight : 1 };
    });
