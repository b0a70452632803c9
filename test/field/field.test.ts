// Plays every case of this folder, which are in text, and checks step by step that it says what it
// must say.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { playFieldCase, readFieldCase } from '../support/field-case.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'))) {
  const read = readFieldCase(readFileSync(join(import.meta.dirname, file), 'utf8'));
  test(read.title, async () => {
    for await (const { step, said } of playFieldCase(read, { name: file, store: opened.store }))
      expect(said, `${step.what} ${step.at}`).toEqual(step.rows);
  });
}

test('a case without a source is refused', () => {
  expect(() => readFieldCase('A case\n== books\nline 1')).toThrow('Source: ');
});
