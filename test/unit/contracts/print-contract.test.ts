import { parseContract, printContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const print = (text: string): string => printContract(parseContract({ name: 'sample.txt', text }));

describe('printContract', () => {
  it('prints every heading in one form', () => {
    const text =
      '위탁 계약서\n갑과 을은 다음과 같이 약정한다.\n제 1 장  총칙\n제１조 【목적】 하나다.\n제1조의2 삭제 <2026. 1. 1.>\n제2장 이행\n제1절 대금\n제2조 [지급 (현금)]\n① 둘이다.\n부 칙 <제3호, 2026. 1. 1.>\n제1조(시행일) 오늘부터다.\n부칙\n곧 시행한다.\n<별지 1> 지급표\n표다.\n';
    expect(print(text)).toBe(
      [
        '# 위탁 계약서',
        '## 제1장 총칙',
        '##### 제1조 (목적)',
        '하나다.',
        '##### 제1조의2',
        '삭제 <2026. 1. 1.>',
        '## 제2장 이행',
        '## 제1절 대금',
        '##### 제2조 (지급 (현금))',
        '① 둘이다.',
        '## 부칙 제3호, 2026. 1. 1.',
        '##### 제1조 (시행일)',
        '오늘부터다.',
        '## 부칙',
        '곧 시행한다.',
        '## 별지 1 (지급표)',
        '표다.\n',
      ].join('\n\n'),
    );
  });

  it('prints English headings with a full stop', () => {
    expect(print('Lease\n\nARTICLE I – TERM\nA year.\nSection 1.1 Start. Today.\nEXHIBIT A\nA plan.\n')).toBe(
      '# Lease\n\n##### Article 1. TERM\n\nA year.\n\n##### Section 1.1. Start\n\nToday.\n\n## Exhibit A\n\nA plan.\n',
    );
  });
});
