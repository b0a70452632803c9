// What OpenAPI documents of both APIs are made of: parameters, contents, and named schemas from forms.

import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Of a document about one of the two APIs, whose version both documents state as 1.0.0. */
export function infoOf(title: string): Json {
  return {
    title,
    version: '1.0.0',
    description:
      'What the document leaves open is chosen: GET /sandbox/choices lists it. None of it is the service’s own.',
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

export function parameter(place: 'path' | 'query' | 'header', name: string, schema: Json, required: boolean): Json {
  return { name, in: place, required, schema };
}

/** A parameter for each `:name` of a path. */
export function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => parameter('path', name!, { type: 'string' }, true));
}

/** `:name` as OpenAPI writes it. */
export function pathOf(prefix: string, path: string): string {
  return `${prefix}${path.replace(/:(\w+)/g, '{$1}')}`;
}

export function refTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function contentOf(schema: Json, type = 'application/json'): Json {
  return { [type]: { schema } };
}

/** Each under its name, with references between them. */
export function namedSchemas(forms: Readonly<Record<string, z.ZodType>>): Json {
  const named = z.registry<{ id: string }>();
  for (const [id, form] of Object.entries(forms)) named.add(form, { id });
  const { schemas } = z.toJSONSchema(named, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** What may be sent. */
export function bodySchema(form: z.ZodType): Json {
  return bare(z.toJSONSchema(form, { io: 'input' }));
}

/** Its place says which dialect and which name it has. */
function bare({ $schema: _, $id: _id, ...schema }: Json): Json {
  return schema;
}
