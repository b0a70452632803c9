// Options that take a whole number. The bounds that a refusal names are those that hold.

import { describe, expect, test } from 'vitest';
import { wholeNumber } from '../../../src/service/cli/stage/stage.ts';
import { pointage } from '../../support/command.ts';

const OPTIONS = [
  { command: ['serve'], option: '--port', least: 0, most: 65_535 },
  { command: ['token', 'M001'], option: '--hours', least: 1, most: 24 },
  { command: ['lab', 'sandbox'], option: '--merchants', least: 1, most: 500 },
  { command: ['lab', 'sandbox'], option: '--partners', least: 1, most: 3_600 },
];

describe.each(OPTIONS)('$command.0 $option', ({ command, option, least, most }) => {
  test('takes both bounds', () => {
    const read = wholeNumber(least, most);
    expect([read(String(least)), read(String(most))]).toEqual([least, most]);
  });

  test.each([least - 1, most + 1, `${most}.0`, '1e3', ' 5', '5 ', '+5', '0x5', '١', ''])(
    'refuses %j',
    async (value) => {
      const { status, err } = await pointage([...command, `${option}=${value}`]);
      expect({ status, err }).toEqual({
        status: 3,
        err: expect.stringContaining(
          `'${value}' is invalid. It must be a whole number from ${least} to ${most}.`,
        ),
      });
    },
  );
});
