/** Openings of small talk, in Korean and English, as sources of regular expressions. Each set of rules decides which words may follow. */
export const smallTalkWords = {
  greeting: '안녕|반가|반갑|좋은\\s?(?:아침|하루|저녁|오후)|hi\\b|hello\\b|hey\\b|good (?:morning|evening|afternoon)\\b',
  thanks: '고마|고맙|감사|땡큐|수고|thanks?\\b|thx\\b',
  farewell:
    '안녕히|잘\\s?(?:가|자|있어)(?=$|[요세!~.,\\s])|또\\s?(?:봐|만나)(?=$|[요!~.,\\s])|나중에\\s?(?:봐|만나)|좋은\\s?밤|bye\\b|goodbye\\b|good night\\b|see you\\b',
  /** `네`, `ok`, `아니`: small talk only on their own. */
  yesOrNo: '네|넵|응|그래|좋아|알겠어|알겠습니다|오케이|ㅇㅋ|ㅇㅇ|ok(?:ay)?\\b|yes\\b|no\\b|아니',
  laughter: '[ㅋㅎㅠㅜ]|하하+|haha\\w*|lol\\b',
} as const;
