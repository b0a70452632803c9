// Whose credentials are whose. `pointage doctor` finds credentials that are pasted under the name
// of another merchant, and a night judges no merchant's books by what the dashboard says of
// another. What the documents leave open is no fault.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { diagnose } from '../../src/service/compose/doctor/diagnose.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { comparePublished } from '../../src/service/workflows/audit/compare-published.ts';
import {
  type AskedDashboard,
  type DashboardService,
  dashboardSettings,
  startDashboardService,
  type Trouble,
} from '../support/dashboard-service.ts';

const NOW = Date.UTC(2026, 10, 3, 12);
const NAMES = ['ALPHA', 'BETA', 'GAMMA'] as const;
type Name = (typeof NAMES)[number];
let sandbox: Sandbox;
beforeAll(async () => {
  const plans = NAMES.map((reference) =>
    planMerchant({ reference, country: 'CI', opensAt: NOW - 10 * DAY }),
  );
  sandbox = await startSandbox({ seed: 'identities', merchants: plans, start: NOW, port: 0 });
});
afterAll(() => sandbox.close());

const credentialsOf = (name: Name) =>
  sandbox.merchants.find(({ reference }) => reference === name)!;
/** Returns the merchant's keys of the direct API. */
const keyOf = (name: Name) => ({
  apiKey: credentialsOf(name).apiKey,
  apiSecret: credentialsOf(name).apiSecret,
});

type Logins = Partial<Record<Name, { readonly numero: string; readonly password: string } | null>>;

/**
 * Returns what the doctor says of the identities. Each merchant has its own keys of the direct API.
 */
async function examine(logins: Logins, baseUrl: string) {
  const merchants = Object.entries(logins).map(([name, dashboard]) => [
    name,
    { ...keyOf(name as Name), ...(dashboard === null ? {} : { dashboard }) },
  ]);
  const settings = {
    source: sandbox.url,
    dashboard: { baseUrl },
    merchants: Object.fromEntries(merchants),
  };
  const configuration = checkConfiguration(settings, 'test');
  const runtime = { clock: () => NOW, random: () => 0, log: () => {} };
  const diagnoses = await diagnose({
    configuration,
    runtime,
    conceal: (text) => text,
    patience: 8_000,
  });
  const { condition, says } = diagnoses.find(({ what }) => what === 'merchants of the dashboard')!;
  return [condition, says];
}

describe('the simulated service', () => {
  const loginOf = (name: Name) => credentialsOf(name).dashboard!;

  test('has the same merchant behind both APIs, where nothing is crossed', async () => {
    const logins = { ALPHA: loginOf('ALPHA'), BETA: loginOf('BETA'), GAMMA: null };
    expect(await examine(logins, sandbox.dashboardUrl)).toEqual([
      'good',
      'its logins open the merchants that they are configured for: 2 asked',
    ]);
  });

  test('shows credentials that two merchants share, that two have crossed, and that are those of a third', async () => {
    const [alpha, beta] = [loginOf('ALPHA'), loginOf('BETA')];
    expect(await examine({ ALPHA: beta, BETA: beta }, sandbox.dashboardUrl)).toEqual([
      'broken',
      'the dashboard credentials of ALPHA and of BETA open one and the same merchant',
    ]);
    expect(await examine({ ALPHA: beta, BETA: alpha }, sandbox.dashboardUrl)).toEqual([
      'broken',
      'the dashboard credentials of ALPHA open the merchant BETA',
    ]);
    expect(await examine({ ALPHA: beta, BETA: null }, sandbox.dashboardUrl)).toEqual([
      'broken',
      'the dashboard credentials of ALPHA open the merchant BETA',
    ]);
  });

  test('names a merchant that cannot be logged in, though it is not the first', async () => {
    const [condition, says] = await examine(
      { ALPHA: loginOf('ALPHA'), BETA: { ...loginOf('BETA'), password: 'wrong' } },
      sandbox.dashboardUrl,
    );
    expect(condition).toBe('broken');
    expect(says).toMatch(/^1 asked merchant\(s\) cannot be logged in; BETA: LOGIN_REFUSED/);
  });
});

/** A dashboard that goes by the token alone, whatever reference it is asked for. */
describe('a service that answers for the merchant of the login', () => {
  let service: DashboardService;
  /** By numero: the id that its login opens, and the record of who is logged in. */
  let known: Record<string, { readonly id: string; readonly record: object | null }>;
  beforeEach(async () => {
    service = await startDashboardService();
    known = {};
    service.before = answerOf;
  });
  afterEach(() => service.close());

  const answer = (status: number, body: unknown): Trouble => ({
    do: 'answer',
    status,
    body: JSON.stringify(body),
  });

  function answerOf({ path, body, headers }: AskedDashboard): Trouble {
    if (path === '/user/login-merchant') {
      const { numero } = JSON.parse(body);
      return answer(201, {
        access_token: numero,
        user: { numero, merchant_id: known[numero]!.id },
      });
    }
    if (path === '/web-merchant/reports') return answer(200, []);
    const record = known[String(headers.authenticationtoken)]!.record;
    const isRecord = path === '/web-merchant/get-merchant-by-id' && record !== null;
    return isRecord
      ? answer(200, record)
      : answer(404, { statusCode: 404, message: 'none', error: 'Not Found' });
  }

  const login = (numero: string) => ({ numero, password: 'secret' });
  const said = (logins: Logins) => examine(logins, service.baseUrl);

  test('whose ids are other ones than those of the direct API is not blamed for it: what can be compared is shown', async () => {
    known = {
      '1': { id: 'web-1', record: { name: 'Alpha, on the web' } },
      '2': { id: 'web-2', record: null },
    };
    const name = sandbox.booksOf('ALPHA').merchant.name;
    expect(await said({ ALPHA: login('1'), BETA: login('2') })).toEqual([
      'idle',
      `not to be known of 2 merchant(s): ALPHA is "${name}" in the direct API and "Alpha, on the web" on the dashboard`,
    ]);
    known = { '1': { id: 'web-1', record: { id: 'web-1', reference: 'ALPHA', country: 'BF' } } };
    expect((await said({ ALPHA: login('1') }))[0]).toBe('good');
  });

  test.each<readonly [string, string, Record<string, unknown>, RegExp]>([
    [
      'broken',
      'the reference of another that is configured',
      { reference: 'BETA' },
      /ALPHA open the merchant BETA$/,
    ],
    [
      'warning',
      'a reference that nobody has',
      { reference: 'OMEGA' },
      /^ALPHA: its record .* reference "OMEGA"$/,
    ],
    [
      'warning',
      'another id than the login',
      { id: 'web-9' },
      /^ALPHA: its login opens .*"web-1".*"web-9"$/,
    ],
    [
      'warning',
      'another country',
      { country: 'CM' },
      /^ALPHA: its country is CI in the direct API and "CM" on/,
    ],
  ])('is %s where its record has %s', async (condition, _, change, says) => {
    known = {
      '1': { id: 'web-1', record: { id: 'web-1', ...change } },
      '2': { id: 'web-2', record: null },
    };
    expect(await said({ ALPHA: login('1'), BETA: login('2') })).toEqual([
      condition,
      expect.stringMatching(says),
    ]);
  });

  test('is doubted where one merchant has the id of its wallet, and another has not', async () => {
    const id = sandbox.booksOf('ALPHA').wallet.merchantId;
    known = { '1': { id, record: null }, '2': { id: 'web-2', record: null } };
    expect(await said({ ALPHA: login('1'), BETA: login('2') })).toEqual([
      'warning',
      'BETA: its id on the dashboard is not that of its wallet, though those of other merchants are',
    ]);
  });

  test('is not read on for two merchants whose logins open one and the same', async () => {
    known = {
      '1': { id: 'web-1', record: null },
      '2': { id: 'web-1', record: null },
      '3': { id: 'web-3', record: null },
    };
    const merchants = { ALPHA: login('1'), BETA: login('2'), GAMMA: login('3') };
    const dashboard = openDashboard(dashboardSettings(service, { merchants }));
    const read = async (merchant: Name) => (await dashboard.open(merchant)).reports();
    expect((await read('ALPHA')).rows).toEqual([]);
    expect((await read('GAMMA')).rows).toEqual([]);
    const message =
      'credentials configured for BETA and for ALPHA open one and the same merchant: correct the settings';
    await expect(read('BETA')).rejects.toThrow(message);
    await expect(read('ALPHA')).rejects.toThrow(
      'configured for ALPHA and for BETA open one and the same',
    );
    expect((await read('GAMMA')).rows).toEqual([]);
    const published = { dashboard, months: null, summaryKeys: {} };
    const compared = await comparePublished(published, { merchant: 'BETA', asOf: NOW });
    expect(compared!.part.drafts).toEqual([]);
    expect(compared!.part.notes).toMatchObject([{ incomplete: true, code: 'REPORTS_UNREACHABLE' }]);
    expect(compared!.part.notes[0]!.figures!.reason).toContain('WRONG_MERCHANT');
    await dashboard.close();
  });
});
