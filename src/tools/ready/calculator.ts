import { constantNames, evaluateExpression, finite, functionNames, maxExpressionChars } from '../../core/arithmetic/expression.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { defineTool } from '../define/define-tool.ts';

const significantDigits = 15;

const input = objectSchema({
  expression: { type: 'string', description: `For example (2 + 3) * sqrt(16). At most ${maxExpressionChars} characters.` },
});

/**
 * The tool `calculator`: arithmetic with `+ - * / % ^`, parentheses, `PI`, `E` and the usual functions.
 *
 * A call throws `EXPRESSION_INVALID` for any other input, with the position of the first wrong character, from 1, as `data.position`; and
 * for a result that is not a finite number. Results have 15 significant digits. No input is evaluated as code.
 *
 * @example await calculator().execute({ expression: '1,200 × 3' }, context) // { expression: '1,200 × 3', result: 3600 }
 */
export function calculator(): Tool {
  return defineTool({
    name: 'calculator',
    description:
      `Calculates with + - * / % (remainder) ^, parentheses, the constants ${constantNames.join(' and ')}, ` +
      `and the functions ${functionNames.join(' ')}. Angles are in radians.`,
    access: 'compute',
    primaryInput: 'expression',
    input,
    async execute({ expression }, { signal }) {
      signal.throwIfAborted();
      const value = evaluateExpression(expression);
      // rounding up the largest numbers yields infinity
      return { expression, result: finite(Number(value.toPrecision(significantDigits))) };
    },
  });
}
