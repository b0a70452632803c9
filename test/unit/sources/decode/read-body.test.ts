// A stored body is read alike, whether or not its shape was met before.

import { expect, test } from 'vitest';
import { decodeEvent } from '../../../../src/core/domain/rows/event-fields.ts';
import { hashText } from '../../../../src/core/domain/rows/hash-bytes.ts';
import { createBodyReader, readBody } from '../../../../src/io/sources/decode/notifications.ts';
import { parseStrictJson } from '../../../../src/io/sources/decode/strict-json.ts';
import { HASH_KEY } from '../../../../src/io/threads/hash-key.ts';
import { rawEvent } from '../../../contract/source-rows.ts';
import { notificationFrom } from '../../../support/notification-from.ts';

const plain = JSON.stringify(rawEvent({}));
const BODIES: readonly (string | Buffer)[] = [
  plain,
  JSON.stringify(
    rawEvent({ reference: 'GUI-CI-É', externalReference: 'CMD "2"', amount: 7 }, { id: 'evt_2' }),
  ),
  JSON.stringify(rawEvent({ externalReference: null, failure: { code: 'OPERATOR_TIMEOUT' } })),
  JSON.stringify(rawEvent({}), null, 2),
  `${plain}\r`,
  plain.replace('"amount":', '"amount":1.5e3,"other":'),
  plain.replace('"amount":', '"amount":0.5,"other":'),
  plain.replace('"reference":', '"reference":null,"other":'),
  plain
    .replace('"type":"cashin.succeeded"', '"type":"ping"')
    .replace('"amount":', '"amount":"none","other":'),
  plain.replace('"merchantReference":"M001"', '"merchantReference":"M002"'),
  `${plain.slice(0, -1)},"metadata":"${'é'.repeat(40_000)}"}`,
  plain.slice(0, -1),
  '[]',
  '',
  '\u0000',
  Buffer.from(plain.replace('GUI-CI', 'G\u00e9I-CI'), 'latin1'),
];

test('in whatever order bodies come, each is read as the strict decoder reads it', () => {
  const bodies = BODIES.map((body) => Buffer.from(body as string));
  const reader = createBodyReader('M001');
  let read = 0;
  for (const body of [...bodies, ...bodies, ...bodies.toReversed()]) {
    const parsed = parseStrictJson(body);
    const strict = parsed.ok ? decodeEvent(parsed.value) : parsed;
    const answer = readBody(reader, { body, receivedAt: Date.UTC(2030, 0, 1) });
    const shown = body.toString('latin1').slice(0, 300);
    if (!strict.ok)
      expect(answer, shown).toEqual({
        refused: {
          reason: strict.reason,
          refusal: strict.refusal,
          value: parsed.ok ? parsed.value : undefined,
        },
      });
    else if (strict.value.merchantReference !== 'M001') {
      expect(answer, shown).toMatchObject({
        refused: { reason: 'merchantReference is "M002", not "M001"' },
      });
    } else {
      const notification = notificationFrom(strict.value);
      expect(answer, shown).toMatchObject({
        notification,
        idHash: hashText(HASH_KEY, notification.id),
      });
      if (notification.operation !== null) {
        expect(answer).toMatchObject({
          referenceHash: hashText(HASH_KEY, notification.operation.reference),
        });
      }
      read += 1;
    }
  }
  expect(read).toBeGreaterThan(15);
});

test('bodies of equal bytes have one hash, and others have others', () => {
  const reader = createBodyReader('M001');
  const hashes = [plain, plain, `${plain} `].map((body) =>
    readBody(reader, { body: Buffer.from(body), receivedAt: 0 }),
  );
  const [a, b, c] = hashes.map((answer) => ('bodyHash' in answer ? answer.bodyHash : null));
  expect(a).toBe(b);
  expect(c).not.toBe(a);
});
