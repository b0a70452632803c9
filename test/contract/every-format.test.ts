// What every format of the register must do, whatever it writes.

import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../src/io/formats/register.ts';
import { sampleDocument } from '../support/sample-statement.ts';
import { bytesOf, TEMPLATE } from '../support/written-document.ts';

describe.each(FORMATS)('the format $name', (format) => {
  test('gives the same bytes twice', async () => {
    const write = () =>
      bytesOf(format, sampleDocument({ lines: 300, texts: 'hostile', links: true }));
    expect(Buffer.compare(await write(), await write())).toBe(0);
  });

  test('fails when the lines fail, and when the stream does', async () => {
    const { statement } = sampleDocument();
    const broken = async function* () {
      yield [];
      throw new Error('the ledger broke off');
    };
    await expect(bytesOf(format, { statement, operations: broken, lines: broken })).rejects.toThrow(
      'broke off',
    );
    const out = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('the disk is full')),
    });
    const options = { language: 'fr', verifyAt: null, template: TEMPLATE } as const;
    const written = format.write(sampleDocument({ lines: 3_000 }), options, out);
    await expect(written).rejects.toThrow('disk is full');
  });

  test('has a name, an extension and a media type of its own', () => {
    expect([format.name, format.extension, format.mediaType].every((text) => text.length > 1)).toBe(
      true,
    );
    for (const key of ['name', 'extension', 'mediaType'] as const) {
      expect(FORMATS.filter((one) => one[key] === format[key])).toEqual([format]);
    }
  });
});
