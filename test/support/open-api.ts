// Reads an OpenAPI document as a client's generator does, and checks answers against the forms that
// the document states.

import { z } from 'zod';

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

export interface DescribedCall {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly security?: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedCall }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: object;
  };
}

export async function openApiAt(url: string): Promise<OpenApi> {
  return (await (await fetch(url)).json()) as OpenApi;
}

/** Returns the calls of the document by name: `GET /v1/wallet` and so on. */
export function callsOf({
  paths,
}: OpenApi): readonly { readonly name: string; readonly call: DescribedCall }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({
      name: `${method.toUpperCase()} ${path}`,
      call,
    })),
  );
}

export function schemaOf({ content }: Content, type = 'application/json'): object {
  return content[type]!.schema;
}

/** Returns why a value does not have the form of a schema of the document; `null` where it has. */
export function faultOf({ components }: OpenApi, schema: object, value: unknown): string | null {
  const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    '#/components/schemas/',
    '#/$defs/',
  );
  const read = z.fromJSONSchema(JSON.parse(whole)).safeParse(value);
  return read.success ? null : z.prettifyError(read.error);
}

/**
 * Returns the schemas that the document refers to and does not have, and those that it has and does
 * not refer to.
 */
export function looseEndsOf(document: OpenApi): readonly string[] {
  const refs = new Set(
    [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!),
  );
  const known = Object.keys(document.components.schemas).map(
    (name) => `#/components/schemas/${name}`,
  );
  return [
    ...[...refs].filter((ref) => !known.includes(ref)),
    ...known.filter((ref) => !refs.has(ref)),
  ];
}

/** Returns names of calls that are not a verb and a noun, or that another call has too. */
export function badNamesOf(document: OpenApi): readonly string[] {
  const names = callsOf(document).map(({ call }) => call.operationId);
  return names.filter(
    (name, i) => !/^[a-z]+[A-Z][A-Za-z]*$/.test(name) || names.indexOf(name) !== i,
  );
}
