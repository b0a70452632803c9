// The OpenAPI documents as linters of others read them: Redocly's recommended rules, and
// swagger-parser's validation against the specification's own schema. Both read what is served over
// HTTP.

import SwaggerParser from '@apidevtools/swagger-parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { READ_AT } from '../support/report-books.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';

let opened: TestStore;
let server: TestServer;
let sandbox: Sandbox;

beforeAll(async () => {
  opened = await openTestStore();
  server = await startTestServer(opened.store);
  sandbox = await startSandbox({
    seed: 'lint',
    merchants: [planMerchant({ reference: 'M001' })],
    start: READ_AT,
    port: 0,
  });
});
afterAll(async () => {
  await sandbox.close();
  await server.close();
  await opened.close();
});

const DOCUMENTS = {
  'of pointage itself': () => `${server.origin}/openapi.json`,
  'of the simulated direct API': () => `${sandbox.origin}/openapi.json`,
  'of the simulated dashboard API': () => `${sandbox.origin}/openapi-dashboard.json`,
};

/** Calls that take nothing and are open to anybody, which therefore refuse nothing. */
const REFUSE_NOTHING = ['~1health', '~1ready', '~1openapi.json'].map(
  (path) => `#/paths/${path}/get/responses`,
);

async function lint(text: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  const others = problems.filter(
    ({ ruleId, location }) =>
      ruleId !== 'operation-4xx-response' || !REFUSE_NOTHING.includes(location[0]?.pointer ?? ''),
  );
  return others.map(
    ({ severity, ruleId, message, location }) =>
      `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
}

describe.each(Object.entries(DOCUMENTS))('the document %s', (_, address) => {
  test('is clean in Redocly’s recommended rules', async () => {
    const text = await (await fetch(address())).text();
    expect(await lint(text)).toEqual([]);
    // The linter reports a call without an operationId.
    const damaged = JSON.parse(text);
    const [path] = Object.keys(damaged.paths);
    const [method] = Object.keys(damaged.paths[path!]);
    delete damaged.paths[path!][method!].operationId;
    expect((await lint(JSON.stringify(damaged))).join()).toContain('operation-operationId');
  });

  test('is valid to swagger-parser', async () => {
    const text = await (await fetch(address())).text();
    const document = JSON.parse(text);
    await expect(SwaggerParser.validate(structuredClone(document))).resolves.toHaveProperty(
      'openapi',
      '3.1.0',
    );
    const damaged = { ...document, info: {} };
    await expect(SwaggerParser.validate(damaged)).rejects.toThrow();
  });
});
