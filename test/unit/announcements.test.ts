// What the configuration says is announced, and to whom.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { announcementsOf, targetOf } from '../../src/service/compose/delivering.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { findingOf, reportWith } from '../support/concluded.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-announcements-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SECRET = `whsec_${'A'.repeat(32)}`;
const mail = { url: 'smtp://mail.example', from: 'pointage@example.com' };

function configured(settings: object): Promise<Configuration> {
  const file = join(scratch, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  return loadConfiguration({ config: file }, {});
}

const REPORT = { id: 'r1', merchant: 'M1', period: '2026-10', isHeld: false } as const;

test('without recipients nothing is announced', async () => {
  const announcements = announcementsOf(await configured({}));
  const problem = {
    kind: 'NOT_ENDED',
    night: 0,
    runId: 1,
    expected: 1,
    done: 0,
    missing: [],
  } as const;
  expect([...announcements.statement(REPORT), ...announcements.run(problem)]).toEqual([]);
});

test('a statement goes to each accountant of its merchant, in their language or that of reports, and into the folder', async () => {
  const accountants = [{ email: 'a@example.com' }, { email: 'b@example.com', language: 'en' }];
  const settings = {
    mail,
    deliveries: { folder: '/srv/statements' },
    merchants: { M1: { accountants }, M2: {} },
  };
  const told = announcementsOf(await configured(settings));
  const content = { topic: 'statement', merchant: 'M1', period: '2026-10', reportId: 'r1' };
  const announced = { announces: 'report/r1', merchant: 'M1', isHeld: false };
  expect(told.statement(REPORT)).toEqual([
    {
      ...announced,
      channel: 'mail',
      target: 'a@example.com',
      content: { ...content, language: 'fr' },
    },
    {
      ...announced,
      channel: 'mail',
      target: 'b@example.com',
      content: { ...content, language: 'en' },
    },
    {
      ...announced,
      channel: 'folder',
      target: '/srv/statements',
      content: { ...content, language: 'fr' },
    },
  ]);
  expect(told.statement({ ...REPORT, isHeld: true }).map(({ isHeld }) => isHeld)).toEqual([
    true,
    true,
    true,
  ]);
  expect([told.holds('broken'), told.holds('incomplete')]).toEqual([true, false]);
  const atOnce = announcementsOf(
    await configured({ ...settings, deliveries: { folder: '/srv/statements', hold: 'none' } }),
  );
  expect(atOnce.holds('broken')).toBe(false);
  expect(told.statement({ ...REPORT, merchant: 'M2' }).map(({ channel }) => channel)).toEqual([
    'folder',
  ]);
});

describe('an alert', async () => {
  const url = 'https://user:hush@hooks.example/team?token=hush#hush';
  const alerts = {
    mail: ['a@example.com'],
    webhooks: [{ url, secret: SECRET }],
    severity: 'critical',
  };
  const told = announcementsOf(await configured({ mail, alerts }));

  test('about findings goes to all who are named, once a run and merchant, and only about what is bad enough', () => {
    const found = {
      fingerprint: 'f',
      kind: 'K',
      severity: 'critical',
      message: 'm',
      status: 'confirmed',
      causedBy: null,
      item: null,
      settledBy: null,
      proposedSettlement: null,
      accepted: null,
      proposal: null,
    };
    const report = {
      merchant: 'M1',
      verdict: 'broken',
      findings: [found],
    } as unknown as AuditReport;
    const deliveries = told.findings(report, ['f'], 7);
    expect(deliveries.map(({ channel, announces }) => [channel, announces])).toEqual([
      ['mail', 'findings/7/M1'],
      ['webhook', 'findings/7/M1'],
    ]);
    expect(deliveries[0]!.content).toMatchObject({
      topic: 'findings',
      runId: 7,
      findings: [{ fingerprint: 'f' }],
      more: 0,
    });
    const mild = {
      ...report,
      findings: [{ ...found, severity: 'error' }],
    } as unknown as AuditReport;
    expect([...told.findings(mild, ['f'], 7), ...told.findings(report, [], 7)]).toEqual([]);
  });

  test('that waits for a night is written for readers of every merchant and of its own, and of no other', async () => {
    const digest = [
      { to: 'all@example.com', roles: ['decider'] },
      { to: 'one@example.com', roles: ['accountant'], merchant: 'M1' },
      { to: 'two@example.com', roles: ['accountant'], merchant: 'M2' },
    ];
    const atNight = announcementsOf(await configured({ mail, alerts: { digest } }), true);
    const targetsOf = (merchant: string) =>
      atNight
        .findings(reportWith(merchant, [findingOf('f')]), ['f'], 7)
        .map(({ target }) => target);
    expect(targetsOf('M1')).toEqual(['all@example.com', 'one@example.com']);
    expect(targetsOf('M3')).toEqual(['all@example.com']);
  });

  test('at a night’s end has the news of fifty merchants, and for a reader of one merchant those of that one', async () => {
    const digest = ['M59', 'M60'].map((merchant) => ({
      to: 'a@example.com',
      roles: ['accountant'],
      merchant,
    }));
    const atNight = announcementsOf(
      await configured({ mail, alerts: { mail: ['b@example.com'], digest } }),
      true,
    );
    const news = Array.from({ length: 60 }, (_, i) => {
      return { merchant: `M${i}`, verdict: 'broken' as const, findings: [], more: 1 };
    });
    const verdicts = { clean: 0, broken: 60, incomplete: 0 };
    const night = {
      ...{ night: 0, runId: 7, expected: 60, done: 60, missing: [] },
      verdicts,
      entriesAdded: 0,
      news,
    };
    const written = atNight.night(night).map(({ announces, content }) => {
      if (content.topic !== 'night') throw new Error(content.topic);
      const { news: some, moreNews } = content.night;
      return [announces, some.length, some.at(-1)?.merchant, moreNews];
    });
    expect(written).toEqual([
      ['night/7/M59', 1, 'M59', 0],
      ['night/7/M60', 0, undefined, 0],
      ['night/7', 50, 'M49', 10],
    ]);
  });

  test('about a run names the run, or the night that has none', () => {
    const problem = {
      kind: 'NOT_COVERED',
      night: 0,
      runId: 7,
      expected: 1,
      done: 0,
      missing: [],
    } as const;
    expect(told.run(problem).map(({ announces }) => announces)).toEqual([
      'run/7/NOT_COVERED',
      'run/7/NOT_COVERED',
    ]);
    const night = told.run({ ...problem, kind: 'NOT_BEGUN', runId: null });
    expect(night[0]!.announces).toBe('night/1970-01-01T00:00:00.000Z/NOT_BEGUN');
  });

  test('is written without the secrets that an address may hold, and two addresses stay two', () => {
    expect(
      JSON.stringify(
        told.run({ kind: 'NOT_ENDED', night: 0, runId: 7, expected: 1, done: 0, missing: [] }),
      ),
    ).not.toContain('hush');
    expect(targetOf(url)).toMatch(/^https:\/\/hooks\.example\/team#[0-9a-f]{8}$/);
    expect(targetOf(url)).not.toBe(targetOf(url.replace('token=hush', 'token=other')));
    expect(targetOf('https://hooks.example/team')).toBe('https://hooks.example/team');
  });
});

test.each<[string, object, RegExp]>([
  [
    'accountants without a mail server',
    { merchants: { M1: { accountants: [{ email: 'a@b.example' }] } } },
    /merchants\.M1\.accountants .* mail\.url/,
  ],
  [
    'a digest without a mail server',
    { alerts: { digest: [{ to: 'a@b.example', roles: ['decider'] }] } },
    /alerts\.digest .* mail\.url/,
  ],
  [
    'a digest of an accountant without a merchant',
    { alerts: { digest: [{ to: 'a@b.example', roles: ['accountant'] }] } },
    /an accountant has one merchant/,
  ],
  [
    'a digest of a role that reads nothing',
    { alerts: { digest: [{ to: 'a@b.example', roles: ['metrics'] }] } },
    /must have a role that may read findings/,
  ],
  [
    'a digest of no role',
    { alerts: { digest: [{ to: 'a@b.example', roles: ['boss'] }] } },
    /needs roles, one or more of/,
  ],
  [
    'a webhook for no event',
    { alerts: { webhooks: [{ url: 'https://hooks.example', secret: SECRET, events: ['x'] }] } },
    /events/,
  ],
  [
    'alerts by mail without a mail server',
    { alerts: { mail: ['a@b.example'] } },
    /alerts\.mail .* mail\.url/,
  ],
  [
    'a webhook over plain http',
    { alerts: { webhooks: [{ url: 'http://hooks.example', secret: SECRET }] } },
    /alerts\.webhooks\.0\.url: must begin with https/,
  ],
  [
    'a webhook that is no address',
    { alerts: { webhooks: [{ url: 'hooks', secret: SECRET }] } },
    /must be an address/,
  ],
  [
    'a secret that is not base64',
    { alerts: { webhooks: [{ url: 'https://hooks.example', secret: `${SECRET}A` }] } },
    /must be whsec_/,
  ],
  [
    'a sender that is two lines',
    { mail: { ...mail, from: 'a <a@b.example>\r\nBcc: x@y.example' } },
    /mail\.from/,
  ],
])('%s is refused in one sentence', async (_, settings, says) => {
  await expect(configured(settings).then(announcementsOf)).rejects.toThrow(says);
});
