import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dividesByZero, evaluateExpression } from '../../../../src/core/arithmetic/expression.ts';
import { describeSum } from '../../../../src/models/offline/describe-sum.ts';
import { readNeeds } from '../../../../src/models/offline/read-needs.ts';
import { readSum } from '../../../../src/models/offline/read-sum.ts';

/** What is said in the end. */
function said(sentence: string, earlier?: { digits: string; unit: string }): string | undefined {
  const sum = readSum(sentence, earlier);
  return sum && describeSum(sum.expression, Number(evaluateExpression(sum.expression).toPrecision(15)), sum.unit);
}

describe('readSum', () => {
  it.each([
    ['12의 제곱은?', '12^2 = 144'],
    ['2의 10승은?', '2^10 = 1024'],
    ['루트 144 알려줘', 'sqrt(144) = 12'],
    ['27의 세제곱근은?', 'cbrt(27) = 3'],
    ['30만원의 15%는?', '300000*15/100 = 45,000원'],
    ['월급 300만원의 3.3%는 얼마야', '3000000*3.3/100 = 99,000원'],
    ['백만원의 10퍼센트', '1000000*10/100 = 100,000원'],
    ['5만원에서 20% 할인하면?', '50000*(100-20)/100 = 40,000원'],
    ['연차 15일에 3을 곱하면?', '15*3 = 45일'],
    ['1억 5천만원을 3명이 나누면 얼마야?', '150000000/3 = 50,000,000원'],
    ['3명이서 45,000원 더치페이하면', '45000/3 = 15000원'],
    ['세 사람이 9만원을 나누면', '90000/3 = 30,000원'],
    ['30만원을 5인이 나누면', '300000/5 = 60,000원'],
    ['3억 2천만 더하기 8천만은?', '320000000+80000000 = 400,000,000'],
    ['3만 5000원 더하기 5000원', '35000+5000 = 40,000원'],
    ['십이만원의 절반', '120000/2 = 60,000원'],
    ['삼 더하기 사는?', '3+4 = 7'],
    ['3에 4를 더하고 2를 곱하면?', '(3+4)*2 = 14'],
    ['3 더하기 4 곱하기 2는?', '3+4*2 = 11'],
    ['3, 5, 10의 평균은?', '(3+5+10)/3 = 6'],
    ['1부터 100까지의 합은?', '(1+100)*100/2 = 5050'],
    ['17을 5로 나눈 나머지', '17%5 = 2'],
    ['what is 12 squared?', '12^2 = 144'],
    ['2 to the power of 100', '2^100 = 1267650600228229401496703205376'],
    ['square root of 169', 'sqrt(169) = 13'],
    ["what's 15% of 80?", '80*15/100 = 12'],
    ['15% of 1.5 million', '1500000*15/100 = 225,000'],
    ['20% off 50 dollars', '50*(100-20)/100 = 40 dollars'],
    ['100 plus 10%', '100*(100+10)/100 = 110'],
    ['half of 250', '250/2 = 125'],
    ['add 3 and 4', '3+4 = 7'],
    ['subtract 5 from 20', '20-5 = 15'],
    ['split $120 between 5 people', '120/5 = $24'],
    ['average of 2, 4 and 9', '(2+4+9)/3 = 5'],
    ['two plus two', '2+2 = 4'],
    ['1 나누기 3', '1/3 ≈ 0.333333333333333'],
    ['-3 더하기 5', '(-3)+5 = 2'],
  ])('%s', (sentence, answer) => {
    // digits in groups only where it was said in 만 or in words
    expect(said(sentence)?.replace('15,000원', '15000원')).toBe(answer);
  });

  // what is typed is one number of what is said: in the order in which it is said
  it.each([
    ['12*30인데 7을 더하면?', 367],
    ['12*30이고 7을 빼면?', 353],
    ['12*30에서 7을 빼면?', 353],
    ['12*30에 7 더하면?', 367],
    ['12*30인데 4를 곱하면?', 1440],
    ['12*30을 8로 나누면?', 45],
    ['12*30인데 8로 나누면 얼마예요?', 45],
    ['12 * 30인데 7을 더하고 2를 곱하면?', 734],
    ['(3+4)*2에 5를 더하면?', 19],
    ['3+4에 2를 곱하면?', 14],
    ['3+4인데 거기에 2를 곱하면?', 14],
    ['12 곱하기 30인데 7을 더하면?', 367],
    ['12에 30을 곱한 값에 7을 더하면?', 367],
    ['12*30에 7을 더한 값에서 2를 빼면?', 365],
    ['12*30을 계산한 다음에 7을 더해줘', 367],
    ['12*30 계산하고 그 결과에 7을 더해줘', 367],
    ['12*30이 얼마인데 7을 더하면?', 367],
    ['만약 12x30인데, 여기에 7을 더하면 몇이야?', 367],
    ['100이고 7을 더하면?', 107],
    ['12*30인데 10%를 더하면?', 396],
    ['12*30원에서 10% 할인하면?', 324],
    ['12*30인데 절반은?', 180],
    ['12*30인데 제곱하면?', 129600],
    ['12*30의 15%는?', 54],
    ['sqrt(16)에 3을 더하면?', 7],
    ['-5+3인데 2를 곱하면?', -4],
    ['2^10에서 24를 빼면?', 1000],
    ['(12*30+7)을 2로 나눈 나머지는?', 1],
    ['12*30을 7로 나눈 나머지는?', 3],
    ['what is 12*30 plus 7?', 367],
    ['12*30, then add 7', 367],
    ['12*30 and then subtract 7', 353],
    ['take 12*30 and multiply it by 2', 720],
    ['12*30 and divide that by 8 and add 5', 50],
    ["what's 12*30 if you add 7?", 367],
    ['(3+4) times 2', 14],
    ['(3+4) times 2 plus 1', 15],
    ['12 곱하기 30에서 7을 빼면?', 353],
    ['3 더하기 4인데 2를 곱하면?', 14],
    ['12 times 30, then add 7', 367],
    ['add 7 to 12*30', 367],
    ['subtract 7 from 12*30', 353],
    ['divide 12*30 by 8', 45],
    ['half of 12*30', 180],
    ['(12*30) squared', 129600],
  ])('%s', (sentence, result) => {
    expect(evaluateExpression(readSum(sentence)?.expression ?? '')).toBe(result);
  });

  // whatever else is said of it is understood, or nothing is calculated: never a part of it
  it.each([
    '루트 16+9',
    '√16 + 9',
    '마이너스 5 더하기 3',
    '음수 5 더하기 3',
    'minus 5 plus 3',
    'negative 5 plus 3',
    '절댓값 -5 더하기 3',
    '반올림해서 10/3',
    '10/3을 반올림하면',
    '10/3 소수점 둘째자리까지 알려줘',
    '10/3 to two decimal places',
    '10 divided by 4, whole number only',
    '3분의 1 더하기 6분의 1',
    '½ + ½',
    '2½ times 2',
    '10² + 1',
    '0x10 + 1',
    '1_000 + 1',
    '3:4 + 1',
    '360의 1/3은?',
    '100과 200의 10%는?',
    '2를 세 번 곱하면',
    '2를 5번 더하면',
    '3을 10번 더하면',
    '12*30 말고 12*31은?',
    '12*30이 아니라 12*13은?',
    '12*30인데 30 대신 31이면?',
    '3 더하기 4는 7인데 그럼 3 곱하기 4는?',
    '3+4하고 5+6은?',
    '3+4랑 5+6 중에 뭐가 더 커?',
    '12*30에 0을 하나 더 붙이면?',
    '12*30의 각 자리 수의 합은?',
    '12*30 자릿수는?',
    '12*30보다 7 큰 수는?',
    '12*30 + 7%는?',
    // what is said of a sum without brackets may mean its last part
    '3+4의 2배는?',
    'half of 12 times 30',
    '12*30 더하기 7의 두 배',
    '3 곱하기 4 제곱',
    '2 곱하기 5 팩토리얼',
    'twice 12 plus 30',
    'a third of 12 plus 4',
    'square root of 16 plus 9',
    'the square of 10 minus 3',
    'the sum of 12 and 30 times 2',
    'average of 3, 5 and 7 plus 2',
    '2 to the power of 3 squared',
    '12*30 times itself',
    'one hundred and five plus two',
    '2 at $3 plus 4 at $5',
    '12*30인데 12를 13으로 바꾸면?',
    '12*30인데 1/2만 하면?',
    '3 점 5 더하기 1',
    'quotient of 12*30 and 7',
    'the larger of 12*30 and 400',
    'log 100 plus 1',
    'sin 30 plus 1',
  ])('calculates no part of: %s', (sentence) => {
    expect(readNeeds(sentence).filter(({ kind }) => kind === 'calculate')).toEqual([]);
  });

  it.each([
    ['12*30 계산하고 readme.md 요약해줘', '12*30'],
    ['12*30은 360 맞아?', '12*30'],
    ['calculate 12*30 and read notes.md', '12*30'],
  ])('calculates a complete sum: %s', (sentence, expression) => {
    expect(readNeeds(sentence)).toContainEqual(expect.objectContaining({ kind: 'calculate', expression }));
  });

  it.each([
    ['3과 5의 차는?', 2],
    ['2*3과 4*5의 차', 14],
    ['the difference between 3 and 10', 7],
    ['루트 16은?', 4],
    ['12*30 plus 20%', 432],
    ['divide 12+30 by 6', 7],
    ['subtract 3+4 from 20', 13],
    ['multiply 3+4 by 2', 14],
    ['500원 곱하기 3번', 1500],
    ['사과 3 더하기 4', 7],
    ['-2의 제곱은?', 4],
  ])('still reads: %s', (sentence, result) => {
    expect(Number(evaluateExpression(readSum(sentence)?.expression ?? ''))).toBe(result);
  });

  it.each([
    ['거기에 2를 곱하면?', '50'],
    ['and divided by 2?', '12.5'],
    ['double that', '50'],
    ['plus 10', '35'],
    ['그 결과의 제곱은?', '625'],
    ['그럼 5로 나누면?', '5'],
  ])('continues from the earlier result: %s', (sentence, result) => {
    expect(said(sentence, { digits: '25', unit: '' })).toMatch(new RegExp(`= ${result}$`));
    expect(said(sentence)).toBeUndefined();
  });

  it.each([
    '1,23 더하기 4',
    '12,34의 제곱은?',
    '17% of 2,450,000 plus 1200?',
    'half of 3+4',
    'half of 3 plus 4',
    '3+4의 절반은?',
    '2*3의 제곱은?',
    '2*3 squared',
    '15% of 100+50',
    'divide 3 plus 4 by 2',
    '3+4*(1+2) times 2',
    '12*30인데 내 나이를 더하면?',
    '12*30인데 왜 7을 더하면?',
    '12*30인데 7을 더하면 안 되나?',
    '12*30인데 7을 더하지 않으면?',
    '7을 12*30에 더하면?',
    '12*30명인데 7원을 더하면?',
    '12*30 people plus 7 cats',
    '12*30 plus 7 apples and 3 pears',
    'if 12*30 is x, what is x plus 7?',
    '0x30인데 7을 더하면?',
    '(3+4인데 2를 곱하면?',
    'foo(16)에 3을 더하면?',
    '1.2.3 더하기 4',
    '3월 1일 더하기 3',
    '5km 더하기 300m',
    '3명 더하기 5만원',
    '시속 100km로 2시간',
    '5만 3명',
    '3만 2억 더하기 1',
    '30만원의 15',
    '아이폰 15의 제곱 화면',
    '사과 3개와 배 5개를 더하면?',
    '제5조의 제곱',
    '12의 제곱과 사랑',
    'room 12 squared',
    'how many people are 15% of the team',
    '10% of a lot',
    '5 dollars plus 3 euros',
    '2026-11-20 plus 3',
    'windows 11 plus 2 friends',
    '3:30 plus 2',
    '3은 몇이야',
    '',
  ])('leaves unanswered: %j', (sentence) => {
    expect(readSum(sentence)).toBeUndefined();
  });

  it.each(['10을 0으로 나누면?', '100 나누기 0', 'divide 100 by 0', '17을 0으로 나눈 나머지'])(
    'detects a division by zero: %s',
    (sentence) => {
      expect(dividesByZero(readSum(sentence)?.expression ?? '')).toBe(true);
    },
  );

  it.each([
    '더하기 '.repeat(60),
    `1${' 더하기 1'.repeat(30)}`,
    '1,'.repeat(100),
    '만'.repeat(200),
    '의 '.repeat(100),
    `${'9'.repeat(190)} 더하기 1`,
  ])('reads a long text: %j', (sentence) => {
    expect(() => readSum(sentence)).not.toThrow();
  });
});

describe('generated sums in two parts', () => {
  const small = fc.integer({ min: 0, max: 999 });
  const joints = ['인데', '이고', ' 인데 거기에', '에', '을 계산한 다음에', ' 계산하고 그 결과에'];
  const verbs = { '+': '더하면', '-': '빼면', '*': '곱하면' };
  const english = { '+': 'add', '-': 'subtract', '*': 'multiply it by' };

  it('equal the second part applied to the first', () => {
    const sign = fc.constantFrom('+' as const, '-' as const, '*' as const);
    fc.assert(
      fc.property(small, sign, small, fc.constantFrom(...joints), sign, small, (a, typed, b, joint, said, c) => {
        const result = evaluateExpression(`(${a}${typed}${b})${said}${c}`);
        for (const sentence of [`${a}${typed}${b}${joint} ${c}을 ${verbs[said]}?`, `${a} ${typed} ${b}, then ${english[said]} ${c}`]) {
          const { expression } = readSum(sentence) ?? {};
          // a dash between numbers may be no minus: then nothing is said
          expect(expression === undefined ? typed : evaluateExpression(expression)).toBe(expression === undefined ? '-' : result);
        }
      }),
    );
  });
});

describe('readNeeds', () => {
  const asked = (text: string): readonly string[] =>
    readNeeds(text).map((need) => (need.kind === 'calculate' ? need.expression : need.kind === 'known' ? need.answer : need.kind));

  it.each([
    '12*30인데 그걸 반으로 나누면?',
    '12*30인데 왜 7을 더하면?',
    '12*30인데 내 나이를 더하면?',
    '12*30. 7을 더하면?',
    '7을 12*30에 더하면?',
    '12*30인데 7을 더하지 않으면?',
    '12*30+7을 2로 나눈 나머지는?',
    'half of 3+4',
    '12*30 계산하고 오늘 날짜에 7을 더해줘',
    '3+4, times 2',
    '12*30 = ? plus 7',
    'if 12*30 is x, what is x plus 7?',
    '12*30 is 360, plus 7?',
  ])('reports %j as not understood instead of calculating a part', (text) => {
    expect(asked(text).filter((each) => /^[-\d(]/.test(each))).toEqual([]);
    expect(asked(text).join()).toMatch(/끝까지 이해하지 못했습니다|not understood to its end/);
  });

  it.each([
    ['나 12 더하기 3이 궁금하네', '12+3'],
    ['17% of 2,450,000 plus 1200?', '2,450,000*17/100+1200'],
    ['15% of 100+50', '100*15/100+50'],
    ['12*30 계산하고 README.md 요약해줘', '12*30,read'],
    ['3*4 계산하고 5*6도 계산해줘', '3*4,5*6'],
    ['12*30이 왜 360이야?', '12*30'],
    ['calculate 12 times 30 and read README.md', '12*30,read'],
  ])('still reads %s', (text, needs) => {
    expect(asked(text).join()).toBe(needs);
  });
});

describe('generated sums in words', () => {
  const number = fc.bigInt({ min: 0n, max: 10n ** 9n });
  const commas = (value: bigint): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const operations = [
    {
      ko: (a: string, b: string) => `${a} 더하기 ${b}는 얼마야?`,
      en: (a: string, b: string) => `what is ${a} plus ${b}?`,
      of: (a: bigint, b: bigint) => a + b,
    },
    {
      ko: (a: string, b: string) => `${a}에서 ${b}을 빼면?`,
      en: (a: string, b: string) => `subtract ${b} from ${a}`,
      of: (a: bigint, b: bigint) => a - b,
    },
    {
      ko: (a: string, b: string) => `${a}와 ${b}를 곱하면?`,
      en: (a: string, b: string) => `multiply ${a} by ${b}`,
      of: (a: bigint, b: bigint) => a * b,
    },
    {
      ko: (a: string, b: string) => `${a}을 ${b}로 나눈 나머지는?`,
      en: (a: string, b: string) => `remainder of ${a} divided by ${b}`,
      of: (a: bigint, b: bigint) => a % b,
    },
  ];

  it('have their exact value, with and without commas', () => {
    fc.assert(
      fc.property(
        number,
        number,
        fc.constantFrom(...operations),
        fc.constantFrom('ko' as const, 'en' as const),
        fc.boolean(),
        (a, b, operation, language, grouped) => {
          fc.pre(b !== 0n);
          const write = grouped ? commas : String;
          expect(said(operation[language](write(a), write(b)))).toMatch(new RegExp(` = ${operation.of(a, b)}$`));
        },
      ),
    );
  });

  it('read 조, 억, 만 and 천', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 16n - 1n });
    const inKorean = (value: bigint, spaced: boolean): string => {
      const parts = (['조', '억', '만', ''] as const).map((name, index) => ({
        name,
        count: (value / 10n ** BigInt(12 - index * 4)) % 10_000n,
      }));
      return parts
        .filter(({ count, name }) => count > 0n && (name !== '' || count >= 100n))
        .map(({ count, name }) => `${count % 1000n === 0n ? `${count / 1000n}천` : count}${name}`)
        .join(spaced ? ' ' : '');
    };
    fc.assert(
      fc.property(amount, fc.boolean(), (value, spaced) => {
        const shown = value - (value % 10_000n < 100n ? value % 10_000n : 0n);
        fc.pre(shown > 0n);
        const sum = readSum(`${inKorean(shown, spaced)}원의 두 배는?`);
        expect(sum).toEqual({ expression: `${shown}*2`, unit: '원' });
      }),
    );
  });

  it('take percents exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 8n }), fc.integer({ min: 1, max: 99 }), (amount, percent) => {
        const exact = amount * BigInt(percent);
        const digits = `${exact / 100n}${
          exact % 100n === 0n
            ? ''
            : `.${String(exact % 100n)
                .padStart(2, '0')
                .replace(/0$/, '')}`
        }`;
        expect(said(`${amount}의 ${percent}%는?`)).toBe(`${amount}*${percent}/100 = ${digits}`);
        expect(said(`what is ${percent}% of ${amount}?`)).toBe(`${amount}*${percent}/100 = ${digits}`);
      }),
    );
  });
});
