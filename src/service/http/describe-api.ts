// The description of the API in OpenAPI, and the page at /docs on which people read it and try it.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type { Server } from './api.ts';

const TAGS = [
  { name: 'reports', description: 'Monthly reports of a merchant, for itself.' },
  { name: 'runs', description: 'What the nights have done, for operators.' },
  { name: 'findings', description: 'What was found, and what people decide about it, for operators.' },
  { name: 'merchants', description: 'Balances, holds and findings by merchant, for operators.' },
  { name: 'audits', description: 'Audits on demand, for operators.' },
  { name: 'notifications', description: 'What the service notifies as it happens.' },
  { name: 'service', description: 'The server itself.' },
];

const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' };

export async function describeApi(
  server: Server,
  { version, publicUrl }: { readonly version: string; readonly publicUrl: string | null },
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'pointage: monthly reports, findings and audits', version, license: LICENSE },
      tags: TAGS,
      servers: [{ url: publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          authenticationtoken: {
            type: 'apiKey',
            in: 'header',
            name: 'authenticationtoken',
            description: 'A merchant: the bare token of the dashboard.',
          },
          operator: { type: 'http', scheme: 'bearer', description: 'An operator: one of server.operators.' },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  // Its own files, in this process: a page that is read where there is no network.
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { validatorUrl: null, docExpansion: 'list', deepLinking: true },
  });
}
