import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { wordNote } from '../../src/core/words/names.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { openSource } from '../../src/io/sources/register.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { drain, entriesOf, operationsOf } from '../contract/source-contract.ts';
import { rawEntry, rawMerchant, rawOperation } from '../contract/source-rows.ts';
import { optionsAt } from '../support/nightly.ts';
import { makeFolder, openFiles, openFolder, toLines } from './book-folder.ts';

const entry = (sequence: number, change = {}) => JSON.stringify(rawEntry({ sequence, ...change }));
const ledgerOf = (...sequences: number[]) => toLines(sequences.map((sequence) => entry(sequence)));
const sequencesOf = (entries: readonly { readonly sequence: number }[]) =>
  entries.map(({ sequence }) => sequence);

describe('the lines of a file', () => {
  test.each([
    ['without a line feed at the end', ledgerOf(1, 2, 3).slice(0, -1)],
    ['with carriage returns', ledgerOf(1, 2, 3).replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\ufeff${ledgerOf(1, 2, 3)}`],
    ['with blank lines', `\n \n${ledgerOf(1, 2)}\t\n\r\n${ledgerOf(3)}\n\n`],
    ['with spaces around the rows', ledgerOf(1, 2, 3).replaceAll('{', '  {').replaceAll('}', '} ')],
    [
      'with spaces inside the rows',
      ledgerOf(1, 2, 3).replaceAll('":', '" : ').replaceAll(',"', ' ,\t"'),
    ],
    [
      'with rows of different shapes',
      `${ledgerOf(1)}${toLines([reversed(entry(2))])}${ledgerOf(3)}`,
    ],
  ])('are read %s', async (_, ledger) => {
    const { rows, rejected } = await drain((await openFiles({ 'ledger.jsonl': ledger })).entries);
    expect(rejected).toEqual([]);
    expect(sequencesOf(rows)).toEqual([1, 2, 3]);
  });

  test.each([
    ['empty', ''],
    ['a byte order mark alone', '\ufeff'],
    ['blank', '\n\n \r\n'],
  ])('are none in a file that is %s, which is not absent', async (_, ledger) => {
    const snapshot = await openFiles({ 'ledger.jsonl': ledger, 'operations.jsonl': ledger });
    expect(await drain(() => snapshot.entries())).toEqual({ rows: [], rejected: [] });
    expect(await drain(() => snapshot.operations())).toEqual({ rows: [], rejected: [] });
    expect(snapshot.absent.filter(({ incomplete }) => incomplete)).toEqual([]);
  });

  test('may be 1 MiB long and no longer: an overlong one is named, wherever it is', async () => {
    const padded = (sequence: number, length: number) => {
      const bare = JSON.stringify({ ...rawEntry({ sequence }), filler: '' });
      return bare.replace('"filler":""', `"filler":"${'x'.repeat(length - bare.length)}"`);
    };
    const longest = 1_048_576;
    const lines = [
      padded(1, longest),
      padded(2, longest + 1),
      entry(3),
      padded(4, 3 * longest),
      padded(5, longest),
    ];
    const last = padded(6, 5 * longest);
    for (const ledger of [
      toLines([...lines, last]),
      toLines([...lines, last]).slice(0, -1),
      toLines([last, ...lines]),
    ]) {
      const { rows, rejected } = await drain((await openFiles({ 'ledger.jsonl': ledger })).entries);
      expect(sequencesOf(rows)).toEqual([1, 3, 5]);
      expect(rejected.map(({ sequence, reason }) => [sequence, reason]).sort()).toEqual(
        [2, 4, 6].map((sequence) => [sequence, 'the line is longer than 1 MiB']),
      );
    }
  });

  test('are counted right after an overlong line', async () => {
    const ledger = `${ledgerOf(1)}${'x'.repeat(2_000_000)}\n${ledgerOf(3)}bad\n`;
    const { rejected } = await drain((await openFiles({ 'ledger.jsonl': ledger })).entries);
    expect(rejected.map(({ place }) => place)).toEqual(['ledger.jsonl:2', 'ledger.jsonl:4']);
  });

  test('are whole across the edges of what is read at a time, accents included', async () => {
    const descriptions = Array.from({ length: 6_000 }, (_, i) => 'é€😀x'.repeat((i * 7) % 60));
    const rows = descriptions.map((description, i) => entry(i + 1, { description }));
    const entries = await entriesOf(await openFiles({ 'ledger.jsonl': toLines(rows) }));
    expect(entries.map(({ description }) => description)).toEqual(descriptions);
  });

  test('are all named in a megabyte of garbage, quickly', async () => {
    const garbage = Buffer.alloc(1_000_000);
    let state = 7;
    for (let i = 0; i < garbage.length; i += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      garbage[i] = state >>> 16;
    }
    const started = performance.now();
    const lines = garbage.toString('latin1').split('\n');
    const snapshot = await openFiles({ 'ledger.jsonl': garbage, 'operations.jsonl': garbage });
    const { rows, rejected } = await drain(() => snapshot.entries());
    expect(rows).toEqual([]);
    expect(rejected).toHaveLength(lines.filter((line) => !/^[ \t\r]*$/.test(line)).length);
    expect((await drain(() => snapshot.operations())).rejected).toHaveLength(rejected.length);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

function reversed(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}

describe('a file in another container is told in one sentence', () => {
  const rows = Array.from({ length: 30 }, (_, i) => rawEntry({ sequence: i + 1 }));
  const array = JSON.stringify(rows);
  const text = toLines(rows);
  const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const containers: readonly (readonly [string, string | Buffer, string])[] = [
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16; write it as UTF-8'],
    ['UTF-16 with the high byte first', swapped, 'UTF-16; write it as UTF-8'],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'UTF-16; write it as UTF-8'],
    ['an array on one line', array, 'a JSON array; write one object a line'],
    ['an array over lines', JSON.stringify(rows, null, 2), 'a JSON array; write one object a line'],
    ['an array with a mark', `\ufeff${array}\n`, 'a JSON array; write one object a line'],
    ['an array of no row', '[]', 'a JSON array; write one object a line'],
    [
      'objects over lines',
      rows.map((row) => JSON.stringify(row, null, 2)).join('\n'),
      'written with several lines an object; write one object a line',
    ],
    ['packed', gzipSync(text), 'packed; name it with .gz at the end'],
  ];
  test.each(containers)('%s', async (_, content, said) => {
    for (const [part, name] of [
      ['ledger', 'ledger.jsonl'],
      ['operations', 'operations.jsonl'],
    ]) {
      const snapshot = await openFiles({ [name!]: content });
      expect(snapshot.rejected).toMatchObject([
        { part, place: name, reason: `${name} is ${said}` },
      ]);
      expect(snapshot.absent.filter(({ code }) => code === 'FILE_UNREADABLE')).toMatchObject([
        { what: part, incomplete: true },
      ]);
    }
    const [unpacked] = (
      await openFiles({ 'ledger.jsonl': null, 'ledger.jsonl.gz': gzipSync(content) })
    ).rejected;
    if (!said.startsWith('packed')) expect(unpacked!.reason).toBe(`ledger.jsonl.gz is ${said}`);
  });

  test('but a row that is an array, or cut after its brace, is refused alone', async () => {
    for (const odd of ['[1, 2]', '[', '{']) {
      const snapshot = await openFiles({ 'ledger.jsonl': `${odd}\n${ledgerOf(2, 3)}` });
      const { rows: read, rejected } = await drain(snapshot.entries);
      expect(sequencesOf(read)).toEqual([2, 3]);
      expect(rejected.map(({ place }) => place)).toEqual(['ledger.jsonl:1']);
    }
  });

  test('and one under another name is named', async () => {
    const snapshot = await openFiles({ 'ledger.jsonl': null, 'ledger.json': array });
    const note = snapshot.absent.find(({ what }) => what === 'ledger')!;
    expect(note).toMatchObject({ incomplete: true, code: 'FILE_NAMED_OTHERWISE' });
    expect(wordNote(note).why).toBe(
      'ledger.jsonl is not there, but ledger.json is: give it that name',
    );
  });

  test.each([
    [
      'ledger.jsonl',
      (sequence: number) =>
        rawEntry({ sequence, operationReference: `GUI-CI-${sequence}`, amount: '1' }),
    ],
    ['operations.jsonl', (n: number) => rawOperation({ reference: `GUI-CI-${n}`, amount: '1' })],
  ])('rows of %s that are all refused for one field have one root', async (name, row) => {
    const snapshot = await openFiles({
      [name]: toLines(Array.from({ length: 200 }, (_, i) => row(i + 1))),
    });
    const { findings, verdict } = await auditSnapshot(snapshot, optionsAt(Date.UTC(2026, 11, 1)));
    const refused = findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
    expect(verdict).not.toBe('clean');
    expect(refused.filter(({ causedBy }) => causedBy === null)).toHaveLength(1);
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(refused.map(({ figures }) => figures.gathered)).toContainEqual(
      expect.objectContaining({ of: 'rows', last: `${name}:200` }),
    );
  });
});

describe('a packed file', () => {
  const ledger = toLines(Array.from({ length: 4_000 }, (_, i) => entry(i + 1)));
  const packed = gzipSync(ledger);

  test('gives the rows before the point where it was cut, and names the cut once', async () => {
    for (const length of [20, 1_000, packed.length >> 1, packed.length - 9, packed.length - 1]) {
      const snapshot = await openFiles({
        'ledger.jsonl': null,
        'ledger.jsonl.gz': packed.subarray(0, length),
      });
      const { rows, rejected } = await drain(() => snapshot.entries());
      expect(sequencesOf(rows)).toEqual(rows.map((_, i) => i + 1));
      if (length > 5_000) expect(rows.length).toBeGreaterThan(0);
      expect(rejected.at(-1)!.reason).toMatch(/^the gzip data ends early or is damaged/);
      expect(rejected.length).toBeLessThanOrEqual(2);
      expect(rejected.every(({ place }) => place.startsWith('ledger.jsonl.gz:'))).toBe(true);
    }
  });

  test('names damage in its middle, its checksum or after its end', async () => {
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 50);
    const wrongSum = Buffer.from(packed);
    wrongSum[packed.length - 6]! ^= 1;
    for (const bytes of [
      damaged,
      wrongSum,
      Buffer.concat([packed, Buffer.from(ledger)]),
      Buffer.from(ledger),
    ]) {
      const snapshot = await openFiles({ 'ledger.jsonl': null, 'ledger.jsonl.gz': bytes });
      const { rejected } = await drain(() => snapshot.entries());
      expect(rejected.at(-1)!.reason).toMatch(/^the gzip data ends early or is damaged/);
    }
  });

  test('is read to its end when it has several members or is empty', async () => {
    const members = Buffer.concat([gzipSync(ledgerOf(1, 2)), gzipSync(ledgerOf(3))]);
    const snapshot = await openFiles({ 'ledger.jsonl': null, 'ledger.jsonl.gz': members });
    expect(sequencesOf(await entriesOf(snapshot))).toEqual([1, 2, 3]);
    const empty = await openFiles({ 'ledger.jsonl': null, 'ledger.jsonl.gz': gzipSync('') });
    expect(await drain(() => empty.entries())).toEqual({ rows: [], rejected: [] });
  });

  test('beside an unpacked one is named as unread', async () => {
    const snapshot = await openFiles({ 'ledger.jsonl.gz': packed });
    expect(sequencesOf(await entriesOf(snapshot))).toEqual([1, 2, 3]);
    expect(snapshot.rejected).toMatchObject([
      {
        part: 'ledger',
        place: 'ledger.jsonl.gz',
        reason: 'ledger.jsonl is there as well and was read instead',
      },
    ]);
  });
});

describe('a part of the books', () => {
  test('that is missing is named as absent, and only the needed ones make a verdict incomplete', async () => {
    for (const [name, what] of [
      ['merchant.json', 'merchant'],
      ['wallet.json', 'wallet'],
      ['ledger.jsonl', 'ledger'],
      ['operations.jsonl', 'operations'],
    ] as const) {
      const snapshot = await openFiles({ [name]: null });
      const absent = snapshot.absent.map(wordNote);
      expect(absent).toContainEqual(
        expect.objectContaining({ what, why: `${name} is not there`, incomplete: true }),
      );
      expect(absent).toContainEqual(
        expect.objectContaining({
          what: 'reports',
          why: 'reports.json is not there',
          incomplete: false,
        }),
      );
      expect(absent).toContainEqual(
        expect.objectContaining({
          what: 'history',
          why: 'no earlier reading of this ledger',
          incomplete: false,
        }),
      );
      expect(absent.filter(({ incomplete }) => incomplete)).toHaveLength(1);
      expect(snapshot.rejected).toEqual([]);
    }
  });

  test('gives empty streams when it is absent', async () => {
    const snapshot = await openFiles({ 'ledger.jsonl': null, 'operations.jsonl': null });
    expect(await entriesOf(snapshot)).toEqual([]);
    expect(await operationsOf(snapshot)).toEqual([]);
    const asked = {
      references: new Set(['GUI-CI-000001']),
      entryIds: new Set(['x']),
      externalReferences: new Set(['y']),
    };
    expect(await snapshot.recall(asked)).toEqual({ entries: [], operations: [] });
  });

  test('that is no regular file is named, absent, and never waited for', async () => {
    for (const make of [
      (path: string) => mkdir(path),
      (path: string) => symlink(path, path),
      async (path: string) => void execFileSync('mkfifo', [path]),
    ]) {
      const folder = await makeFolder({ 'ledger.jsonl': null, 'wallet.json': null });
      await make(join(folder, 'ledger.jsonl'));
      await make(join(folder, 'wallet.json'));
      const snapshot = await openFolder(folder);
      expect(snapshot.rejected.map(({ part, place }) => [part, place])).toEqual([
        ['wallet', 'wallet.json'],
        ['ledger', 'ledger.jsonl'],
      ]);
      const missing = snapshot.absent
        .filter(({ incomplete }) => incomplete)
        .map(({ what }) => what);
      expect(missing).toEqual(['wallet', 'ledger']);
      expect(await entriesOf(snapshot)).toEqual([]);
    }
  });

  test.each([
    ['is not JSON', 'hello', /^not JSON/],
    ['is empty', '', /^not JSON/],
    [
      'has a key twice',
      JSON.stringify(rawMerchant({})).replace('{', '{"reference":"M001",'),
      /twice/,
    ],
    ['lacks its prices', JSON.stringify(rawMerchant({ pricing: undefined })), 'pricing is missing'],
    [
      'has a fraction in its prices',
      JSON.stringify(rawMerchant({})).replace(':200', ':2.5'),
      /^pricing.cashinFeeBps is 2.5/,
    ],
    ['is a list', '[]', /^the row is a list/],
    ['is too large', `${' '.repeat(1_100_000)}{}`, 'the file is larger than 1 MiB'],
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
  ])('named merchant.json that %s is rejected once and absent', async (_, content, reason) => {
    const snapshot = await openFiles({ 'merchant.json': content });
    expect(snapshot.profiles).toEqual([]);
    expect(snapshot.rejected).toHaveLength(1);
    expect(snapshot.rejected[0]).toMatchObject({ part: 'merchant', place: 'merchant.json' });
    expect(snapshot.rejected[0]!.reason).toMatch(reason);
    expect(snapshot.absent.filter(({ incomplete }) => incomplete).map(({ what }) => what)).toEqual([
      'merchant',
    ]);
    expect(sequencesOf(await entriesOf(snapshot))).toEqual([1, 2, 3]);
  });

  test('named merchant.json gives the name of the books when its reference can be read, else the folder does', async () => {
    const named = await openFiles({ 'merchant.json': JSON.stringify({ reference: 'M007' }) });
    expect(named.merchant).toBe('M007');
    const folder = await makeFolder({ 'merchant.json': '{"reference":"M007"' });
    expect((await openFolder(folder)).merchant).toBe(folder.split('/').at(-1));
  });

  test('named events.jsonl gives the instants of adjustments, and refuses those of another merchant', async () => {
    const event = (id: string, change = {}) =>
      JSON.stringify({
        id,
        type: 'wallet.adjusted',
        createdAt: '2026-01-05T08:00:00Z',
        merchantReference: 'M001',
        data: {},
        ...change,
      });
    const lines = [
      event('evt_1'),
      event('evt_2', { type: 'ping' }),
      event('evt_3', { merchantReference: 'M002' }),
      'bad',
    ];
    const snapshot = await openFiles({ 'events.jsonl': toLines(lines) });
    expect(snapshot.adjustedAt).toEqual([Date.UTC(2026, 0, 5, 8)]);
    const { rejected } = await snapshot.closing();
    expect(rejected.map(({ part, place }) => [part, place])).toEqual([
      ['events', 'events.jsonl:3'],
      ['events', 'events.jsonl:4'],
    ]);
    expect(snapshot.absent.map(({ what }) => what)).not.toContain('events');
    expect((await openFiles({})).adjustedAt).toBe(null);
  });
});

describe('a folder', () => {
  test('that holds no books, or is none, is refused in one sentence', async () => {
    const folder = await makeFolder({
      'ledger.jsonl': null,
      'merchant.json': null,
      'wallet.json': null,
    });
    const empty = join(folder, 'empty');
    await mkdir(join(empty, 'deeper'), { recursive: true });
    await writeFile(join(empty, 'notes.txt'), 'x');
    const cases = [
      [
        empty,
        'NO_BOOKS',
        `${empty} holds no books: neither it nor a folder in it has merchant.json`,
      ],
      [join(folder, 'nowhere'), 'UNREACHABLE', 'does not exist'],
      [join(folder, 'operations.jsonl'), 'UNREACHABLE', 'is not a folder'],
    ] as const;
    for (const [path, code, message] of cases) {
      const source = openFileSource(path);
      await expect(source.merchants()).rejects.toMatchObject({ name: 'SourceFailed', code });
      await expect(source.open('M001', null)).rejects.toThrow(message);
      await source.close();
    }
  });

  test('may hold a folder for each merchant, and other things beside them', async () => {
    const folder = await makeFolder({
      ...Object.fromEntries(
        ['merchant.json', 'wallet.json', 'ledger.jsonl', 'operations.jsonl'].map((name) => [
          name,
          null,
        ]),
      ),
      'b/merchant.json': JSON.stringify(rawMerchant({ reference: 'M001' })),
      'a/ledger.jsonl.gz': gzipSync(ledgerOf(5)),
      'c/notes.txt': 'x',
      'README.md': 'x',
    });
    const source = openFileSource(folder);
    expect(await source.merchants()).toEqual(['M001', 'a']);
    const snapshot = await source.open('a', null);
    expect(sequencesOf(await entriesOf(snapshot))).toEqual([5]);
    await snapshot.close();
    await source.close();
  });

  test('in which two folders claim one merchant is refused', async () => {
    const profile = JSON.stringify(rawMerchant({}));
    const folder = await makeFolder({
      ...Object.fromEntries(
        ['merchant.json', 'wallet.json', 'ledger.jsonl', 'operations.jsonl'].map((name) => [
          name,
          null,
        ]),
      ),
      'a/merchant.json': profile,
      'b/merchant.json': profile,
    });
    await expect(openFileSource(folder).merchants()).rejects.toMatchObject({
      code: 'AMBIGUOUS_MERCHANT',
    });
  });

  test('is found by the register, which names the known forms and repeats no secret', async () => {
    const folder = await makeFolder({});
    for (const uri of [`file:${folder}`, `file://${folder}`]) {
      expect(await (await openSource(uri, {})).merchants()).toEqual(['M001']);
    }
    for (const uri of ['ftp://user:secret@host', 'books', '', 'file:', ':', 'constructor:x']) {
      const refusal = await openSource(uri, {}).catch((error: Error) => error);
      expect(refusal).toMatchObject({ name: 'SourceFailed', code: 'UNKNOWN_SOURCE' });
      expect((refusal as Error).message).toContain('file:DIR');
      expect((refusal as Error).message).not.toContain('secret');
    }
  });
});

describe('questions about one operation', () => {
  test('are answered with its newest version, for many questions and any reference', async () => {
    const operations = Array.from({ length: 5_000 }, (_, i) =>
      rawOperation({ reference: `GUI-CI-${i}`, amount: i }),
    );
    const newer = rawOperation({
      reference: 'GUI-CI-17',
      amount: 99,
      updatedAt: '2026-02-01T00:00:00Z',
    });
    const folder = await makeFolder({ 'operations.jsonl': toLines([...operations, newer]) });
    const source = openFileSource(folder);
    expect(await source.askOperation('M001', 'GUI-CI-17')).toMatchObject({ amount: 99 });
    for (let i = 100; i < 1_100; i += 1) {
      expect(await source.askOperation('M001', `GUI-CI-${i}`)).toMatchObject({ amount: i });
      expect(await source.askOperation('M001', `GUI-CI-${i}x`)).toBe(null);
    }
    await source.close();
    await source.close();
  });

  test('come out the same for a few references and for tens of thousands', async () => {
    const snapshot = await openFiles({});
    const few = {
      references: new Set(['GUI-CI-000001']),
      entryIds: new Set<string>(),
      externalReferences: new Set<string>(),
    };
    const others = Array.from({ length: 30_000 }, (_, i) => `nobody ${i}`);
    const many = { ...few, references: new Set([...others, 'GUI-CI-000001']) };
    const recalled = await snapshot.recall(few);
    expect(recalled.entries).toHaveLength(3);
    expect(recalled.operations).toHaveLength(1);
    expect(await snapshot.recall(many)).toEqual(recalled);
  });

  test("find a partner's reference however it is written", async () => {
    const shared = 'été "1"/2\n';
    const reference = (i: number) => `GUI-CI-00000${i}`;
    const plain = JSON.stringify(
      rawOperation({ reference: reference(1), externalReference: 'CMD-1' }),
    );
    const written = [
      'été \\"1\\"/2\\n',
      '\\u00e9t\\u00E9 \\u00221\\"\\/2\\u000a',
      'été \\"1\\"/3\\n',
    ];
    const lines = [
      plain,
      ...written.map((text, i) => plain.replace('1"', `${i + 2}"`).replace('CMD-1', () => text)),
    ];
    const snapshot = await openFiles({ 'operations.jsonl': toLines([...lines, ...lines]) });
    const asked = {
      references: new Set<string>(),
      entryIds: new Set<string>(),
      externalReferences: new Set([shared]),
    };
    const { operations } = await snapshot.recall(asked);
    expect(operations.map(({ operation }) => operation.reference).sort()).toEqual([
      reference(2),
      reference(3),
    ]);
  });

  test('find nothing where there are no operations', async () => {
    const source = openFileSource(await makeFolder({ 'operations.jsonl': null }));
    expect(await source.askOperation('M001', 'GUI-CI-1')).toBe(null);
    await source.close();
  });
});
