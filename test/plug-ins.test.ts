// What a new check or source needs beside its own file, so that no check is written that nothing
// calls, plants or tests.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../src/core/domain/delivery/delivery.ts';
import { CATALOGUE } from '../src/core/kernel/checks/port/kinds.ts';
import { ALL_FAULTS } from '../src/sandbox/faults/register.ts';
import { ANSWERS } from '../src/sandbox/model/served.ts';
import { DASHBOARD_ANSWERS } from '../src/sandbox/model/served-dashboard.ts';
import { API_WORDS } from '../src/sandbox/service/account/account.ts';
import { OPEN_ROUTES } from '../src/sandbox/service/dashboard/account-routes.ts';
import { DASHBOARD_ROUTES, DIRECT_ROUTES } from '../src/sandbox/service/start-sandbox.ts';
import { PLANTABLE_KINDS } from './support/plantable-kinds.ts';

const root = resolve(import.meta.dirname, '..');

describe('a plug-in owes', () => {
  const kinds: readonly string[] = CATALOGUE.flatMap((section) => section.kinds);

  test('a check that finds each kind which it declares', () => {
    const checks = readdirSync(join(root, 'src/core/kernel/checks'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter(
        (path) => path.endsWith('.ts') && !path.startsWith('kinds/') && !path.startsWith('port/'),
      )
      .map((path) => readFileSync(join(root, 'src/core/kernel/checks', path), 'utf8'));
    const written = checks.flatMap((text) => [
      ...[...text.matchAll(/'([A-Z_]+)'/g)].map((match) => match[1]!),
      ...[...text.matchAll(/`\$\{name\}(_[A-Z_]+)`/g)].flatMap((match) => [
        `CREDIT${match[1]}`,
        `DEBIT${match[1]}`,
      ]),
    ]);
    expect(kinds.length).toBeGreaterThan(50);
    expect(kinds.filter((kind) => !written.includes(kind))).toEqual([]);
  });

  test('a planted fault for every kind that a service can show', () => {
    const planted = ALL_FAULTS.map(({ name }) => name.split('/')[0]);
    expect(PLANTABLE_KINDS.filter((kind) => !planted.includes(kind))).toEqual([]);
  });

  test('words for every fault, and no others are there', () => {
    const words = JSON.parse(readFileSync(join(root, 'src/sandbox/faults/faults.json'), 'utf8'));
    expect(Object.keys(words).sort()).toEqual(ALL_FAULTS.map(({ name }) => name).sort());
    expect(ALL_FAULTS.filter(({ name, says }) => says !== words[name])).toEqual([]);
  });

  test('words and a place for every endpoint of the simulated service, and no others are there', () => {
    const named = (routes: readonly { readonly operationId: string }[]) =>
      routes.map((one) => one.operationId).sort();
    const { direct, dashboard } = API_WORDS;
    const ofDashboard = [...OPEN_ROUTES, ...DASHBOARD_ROUTES];
    expect(Object.keys(direct.endpoints).sort()).toEqual(named(DIRECT_ROUTES));
    expect(Object.keys(dashboard.endpoints).sort()).toEqual(named(ofDashboard));
    expect(Object.keys(direct.summaries).sort()).toEqual(
      [...named(DIRECT_ROUTES), 'receiveNotification'].sort(),
    );
    expect(Object.keys(dashboard.summaries).sort()).toEqual(
      [...named(ofDashboard), 'receivePayment'].sort(),
    );
  });

  test('a form for every answer of the simulated service', () => {
    const formsOf = (endpoints: (typeof API_WORDS)['direct' | 'dashboard']['endpoints']) =>
      Object.values(endpoints).flatMap(({ answers }) =>
        'file' in answers ? [] : Object.values<string>(answers),
      );
    expect(Object.keys(ANSWERS)).toEqual(
      expect.arrayContaining(formsOf(API_WORDS.direct.endpoints)),
    );
    expect(Object.keys(DASHBOARD_ANSWERS)).toEqual(
      expect.arrayContaining(formsOf(API_WORDS.dashboard.endpoints)),
    );
  });

  test('a contract test for every source', () => {
    const entries = readdirSync(join(root, 'src/io/sources'), { withFileTypes: true });
    const shared = ['decode', 'port', 'web'];
    const sources = entries
      .filter((entry) => entry.isDirectory() && !shared.includes(entry.name))
      .map(({ name }) => name);
    expect(sources).toContain('file');
    expect(
      sources.filter((name) => !existsSync(join(root, `test/contract/${name}-source.test.ts`))),
    ).toEqual([]);
  });

  test('its name to the outbox: it takes every channel', () => {
    const schema = readFileSync(join(root, 'sql/schema.sql'), 'utf8');
    const taken =
      /constraint deliveries_channel_check CHECK \(\(channel = ANY \(ARRAY\[(.*)\]/.exec(
        schema,
      )![1]!;
    expect([...taken.matchAll(/'(\w+)'/g)].map((match) => match[1])).toEqual([...CHANNELS]);
  });
});
