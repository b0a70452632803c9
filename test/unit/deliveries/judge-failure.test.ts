// How a failed mail is judged: refused, to be tried again, or in doubt.

import { expect, test } from 'vitest';
import { judgeFailure } from '../../../src/io/deliveries/mail.ts';

const answered = (command: string, responseCode: number, permanent: boolean) =>
  Object.assign(new Error('failed'), {
    command,
    responseCode,
    permanent,
    response: `${responseCode} no`,
  });

test.each([
  ['RCPT TO', 550, true, 'REFUSED'],
  ['RCPT TO', 450, false, 'RETRY'],
  ['RCPT TO', 503, false, 'RETRY'],
  ['MAIL FROM', 550, true, 'RETRY'],
  ['DATA', 554, true, 'RETRY'],
  ['DATA', 421, false, 'RETRY'],
] as const)('%s answered with %i is %s: %s', (command, code, permanent, outcome) => {
  for (const isWhole of [true, false])
    expect(judgeFailure(answered(command, code, permanent), { isWhole })).toEqual({
      outcome,
      detail: `${command}: ${code} no`,
    });
});

test('without an answer it is tried again only when its end was not given over', () => {
  const cut = new Error('Connection closed');
  expect(judgeFailure(cut, { isWhole: false })).toEqual({
    outcome: 'RETRY',
    detail: 'Connection closed',
  });
  expect(judgeFailure(cut, { isWhole: true }).outcome).toBe('IN_DOUBT');
});
