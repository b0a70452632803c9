// What holds where nothing is configured. The check of what is configured takes its defaults from here, and needs not be
// loaded where there is nothing to check.

export const DEFAULTS = {
  dataDirectory: '.pointage',
  graceMinutes: 10,
  clockToleranceMinutes: 5,
  assumptions: {},
  merchants: {},
  zone: 'UTC',
  journal: {},
  issuers: [],
  summaryKeys: {},
  http: {},
  postgres: {},
  reports: { language: 'fr' as const, phoneNumbers: 'masked' as const },
  server: {
    host: '127.0.0.1',
    port: 8080,
    maxBodyBytes: 16_384,
    maxNotificationBytes: 262_144,
    answerWithin: 20_000,
    operators: [],
  },
  worker: {
    night: { cron: '0 2 * * *', zone: 'UTC' },
    monthStart: '0 5 1 * *',
    concurrency: 4,
    longestMinutes: 30,
    attempts: 5,
    takeOverSeconds: 60,
    watchdog: { lateMinutes: 30, longestMinutes: 360 },
  },
  deliveries: { formats: ['pdf' as const, 'xlsx' as const], hold: 'broken' as const },
  alerts: {
    mail: [],
    webhooks: [],
    severity: 'error' as const,
    language: 'en' as const,
    digest: true,
    allowPrivate: false,
  },
  telemetry: { host: '127.0.0.1' },
};
