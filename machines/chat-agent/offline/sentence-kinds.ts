/** `… 해줘`, `write …`: an order. */
export const isOrder = (input: string): boolean =>
  /(?:줘요?|주세요|주라|줄래|주십시오|달라|하라|해라|해\s?봐|부탁해|부탁합니다|부탁드려요)(?:[.!~\s]*$|\s*[:：])|^\s*(?:please\s+)?(?:write|translate|summari[sz]e|explain|make|create|draw|generate|find|search|show|tell me|give me|list|compare|recommend|draft|fix|run)\b/iu.test(
    input,
  );

const questionWord =
  /(?<![가-힣])(?:뭐|뭔|뭘|무엇|무슨|언제(?!나|든)|누구(?!나|든)|누가|어디(?!서?나|든)|얼마(?!든)|몇|며칠|왜(?!냐)|어느|어떤|어떻게)/u;
const questionEnding = /[?？]\s*$|궁금\S*[.!~\s]*$|(?:까요?|나요|가요|니|는지|은지|되나|이유는)[.!~\s]*$/u;
const englishQuestion =
  /^\s*(?:and\s|so\s|but\s)?(?:what|who|whom|whose|when|where|why|how|which|can|could|may|must|should|do|does|did|is|are)\b/iu;

/** A question, with or without a question mark. */
export const isQuestion = (input: string): boolean => questionEnding.test(input) || questionWord.test(input) || englishQuestion.test(input);

/** A statement: `오늘 힘들었어`, but not `휴가 정책`. */
export const isStatement = (input: string): boolean =>
  !isQuestion(input) &&
  !isOrder(input) &&
  /(?:[다야요음함임]|[어아해가와네지군걸데고])[.!~\s]*$|^\s*(?:i|i'm|we|my|our|it)\b/iu.test(input);
