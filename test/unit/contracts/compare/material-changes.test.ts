import { describe, expect, it } from 'vitest';
import { materialChanges, renamedParties } from '../../../../src/contracts/compare/material-changes.ts';
import { redline } from '../../../../src/core/text/redline.ts';

const topicsOf = (before: string, after: string): string[] => materialChanges(redline(before, after)).map(({ topic }) => topic);

describe('materialChanges', () => {
  // biome-ignore format: one change a line
  it.each([
    ['갑은 계약을 해지할 수 있다.', '갑은 계약을 해지할 수 없다.', ['negation']],
    ['비밀을 알려야 한다.', '비밀을 알려서는 아니 된다.', ['negation']],
    ['영업비밀을 누설하지 아니한다.', '영업비밀을 누설하지 않는다.', []],
    ['동의 없이 양도할 수 있다.', '동의를 받아 양도할 수 있다.', ['negation']],
    ['The Supplier shall pay.', 'The Supplier shall not pay.', ['negation']],
    ['The Supplier shall pay.', 'The Supplier may pay.', ['obligation']],
    ['The Supplier will deliver in May 2027.', 'The Supplier will deliver in June 2027.', []],
    ['대금을 지급한다.', '대금을 지급할 수 있다.', ['obligation']],
    ['하자를 고친다.', '하자를 고치도록 노력한다.', ['obligation']],
    ['임대인이 비용을 낸다.', '임차인이 비용을 낸다.', ['party']],
    ['비용은 갑이 낸다.', '비용은 을이 낸다.', ['party']],
    ['Either Party may terminate.', 'Supplier may terminate.', ['party']],
    ['서울중앙지방법원을 관할 법원으로 한다.', '부산지방법원을 관할 법원으로 한다.', ['law']],
    ['민법에 따른다.', '상법에 따른다.', ['law']],
    ['정한 방법에 따른다.', '정한 절차에 따른다.', []],
    ['「하도급거래 공정화에 관한 법률」에 따른다.', '「민법」에 따른다.', ['law']],
    ['governed by the laws of the State of New York, without', 'governed by the laws of Delaware, without', ['law']],
    ['분쟁은 소송으로 해결한다.', '분쟁은 중재로 해결한다.', ['law']],
    ['30일 이내에 지급한다.', '30일 전까지 지급한다.', ['deadline']],
    ['지체 없이 알린다.', '30일 이내에 알린다.', ['deadline']],
    ['payment within 30 days after delivery', 'payment 30 days before delivery', ['deadline']],
    ['계약금액의 10% 이상', '계약금액의 10% 이하', ['limit']],
    ['at least USD 5,000', 'up to USD 5,000', ['limit']],
    ['성실하게 이행한다.', '신의에 따라 성실히 이행한다.', []],
    ['갑은 수리비를 낸다.', '갑은 을이 청구한 날부터 30일 안에 수리에 든 비용과 그 밖의 손해 전부를 을에게 지급하여야 하고 줄일 수 없다.', []],
    ['갑의 사무소', '갑의 사무실', []],
    ['세차는 무상으로 한다.', '세차는 유상으로 한다.', ['quality']],
    ['세차는 무상으로 한다.', '세차는 무료로 한다.', []],
    ['시험에 합격하면 채용한다.', '시험에 불합격하면 채용한다.', ['quality']],
    ['이사회의 동의를 받는다.', '이사회에 통지한다.', ['quality']],
    ['이사회의 동의를 받는다.', '이사회의 동의를 얻는다.', []],
    ['on a material breach', 'on a breach', ['quality']],
    ['a non-exclusive right', 'an exclusive right', ['quality']],
    ['a non-exclusive right', 'a nonexclusive right', []],
    ['The tools are delivered in May.', 'The tools are installed in May.', ['quality']],
    ['을은 도구를 준다.', '을은 도구를 인도한다.', []],
    ['You may swim if a guard is present.', 'You may swim.', ['condition']],
    ['You may swim if a guard is present.', 'You may swim where a guard is present.', []],
    ['을은 쉰다. 다만, 을이 미리 정하여 갑에게 서면으로 알린 성수기의 토요일과 일요일과 공휴일은 제외한다.', '을은 쉰다.', ['condition']],
    ['The Guard locks the gate.', 'The Guard shall lock the gate.', []],
    ['The Guard shall be present.', 'The Guard should be present.', ['obligation']],
    ['The Guard shall promptly lock the gate.', 'The Guard shall lock the gate promptly.', []],
    ['소유권은 인도한 때 이전한다.', '소유권은 인도한 때 넘어간다.', []],
  ])('compares %j and %j', (before, after, topics) => {
    expect(topicsOf(before, after)).toEqual(topics);
    expect(topicsOf(after, before)).toEqual(topics);
  });

  it('quotes the words around a change', () => {
    expect(materialChanges(redline('을은 계약을 30일 전에 해지할 수 있다.', '을은 계약을 30일 전에 해지할 수 없다.'))).toEqual([
      { topic: 'negation', standard: ['해지할 수 있다.'], user: ['해지할 수 없다.'] },
    ]);
  });

  it('treats parties with other names as equal', () => {
    const [user, standard] = ['갑은 짓고 을은 갑에게 낸다. 보증인은 갚는다.', '발주자는 짓고 수급인은 발주자에게 낸다.'];
    const renamed = renamedParties(user, standard);
    expect(materialChanges(redline('발주자는 짓는다.', '갑은 짓는다.'), { renamed })).toEqual([]);
    expect([...renamedParties(standard, standard)]).toEqual([]);
    expect([...renamedParties(`${standard} 보증인은 갚는다.`, standard)]).toEqual([]);
  });

  it('names the laws and courts of rewritten text', () => {
    const [before, after] = [
      '이 계약에서 생긴 모든 다툼은 발주자의 주소지를 관할하는 수원지방법원이 맡는다',
      '분쟁이 생기면 먼저 서로 상의하고 그래도 안 되면 대한상사중재원의 중재로 끝낸다',
    ];
    expect(materialChanges(redline(before, after))).toEqual([
      { topic: 'law', standard: ['수원지방법원'], user: ['대한상사중재원', '중재'] },
    ]);
  });

  it('ignores a paragraph that only one of them has', () => {
    const parts = redline('하나.\n', '하나.\n② 을은 해지할 수 없다.\n');
    expect(materialChanges(parts, { added: ['② 을은 해지할 수 없다.'] })).toEqual([]);
  });
});
