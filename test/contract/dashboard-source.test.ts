import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { openFileDashboard } from '../../src/io/sources/file/open-file-dashboard.ts';
import { dashboardSettings, startDashboardService } from '../support/dashboard-service.ts';
import { describeDashboard, type RawDashboard } from './dashboard-contract.ts';

async function serve(raw: RawDashboard, cap: number, newestFirst: boolean) {
  const service = await startDashboardService();
  service.payments = raw.payments.toSorted(
    (a, b) => Date.parse(String(a.createdAt)) - Date.parse(String(b.createdAt)),
  );
  service.reports = raw.reports;
  service.payouts = raw.payouts;
  service.cap = cap;
  service.newestFirst = newestFirst;
  return { dashboard: openDashboard(dashboardSettings(service)), withdraw: () => service.close() };
}

const api = { servesRepetitions: false };
describeDashboard('the dashboard API', {
  ...api,
  publish: (raw) => serve(raw, Number.POSITIVE_INFINITY, true),
});
describeDashboard('the dashboard API, cut short in silence', {
  ...api,
  publish: (raw) => serve(raw, 3, true),
});
describeDashboard('the dashboard API, oldest first and cut short', {
  ...api,
  publish: (raw) => serve(raw, 3, false),
});

async function writeFolder(raw: RawDashboard) {
  const root = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const folder = join(root, 'M001');
  await mkdir(folder);
  await writeFile(join(folder, 'merchant.json'), '{"reference":"M001"}');
  await writeFile(join(folder, 'reports.json'), JSON.stringify(raw.reports));
  await writeFile(join(folder, 'payouts.json'), JSON.stringify(raw.payouts));
  await writeFile(
    join(folder, 'payments.jsonl'),
    raw.payments.map((payment) => `${JSON.stringify(payment)}\n`).join(''),
  );
  return { dashboard: openFileDashboard(root), withdraw: () => rm(root, { recursive: true }) };
}

describeDashboard('a folder of files', { publish: writeFolder, servesRepetitions: true });
