// The configuration as JSON Schema, for editors: keys, forms and defaults. Any text with a form of its own may also be told as
// `env:NAME` or `file:PATH`.

import { z } from 'zod';
import { configurationSchema } from './check-configuration.ts';

type Node = Record<string, unknown>;

const FORMS = ['pattern', 'format', 'allOf'];
const ELSEWHERE = { type: 'string', pattern: '^(?:env|file):' };

export function configurationJsonSchema(): object {
  const { $schema, properties, $defs, ...schema } = z.toJSONSchema(configurationSchema, {
    io: 'input',
    reused: 'ref',
  }) as Node;
  const folder = { type: 'string', minLength: 1 };
  const ofFiles = {
    $schema: { type: 'string', description: 'This schema, for editors' },
    include: {
      description: 'Folders whose .json files are read as well',
      anyOf: [folder, { type: 'array', items: folder }],
    },
  };
  return {
    $schema,
    title: 'pointage.config.json',
    ...schema,
    properties: { ...ofFiles, ...mayBeElsewhere(properties) },
  };
}

/** With the other form beside each text that has one: an editor must not mark a secret that stands elsewhere. */
function mayBeElsewhere(node: unknown): Node {
  const walked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walked);
    if (typeof value !== 'object' || value === null) return value;
    const one = value as Node;
    const hasForm = one.type === 'string' && (FORMS.some((form) => form in one) || Number(one.minLength ?? 0) > 1);
    if (hasForm) return { anyOf: [one, ELSEWHERE] };
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walked(inner)]));
  };
  return walked(node) as Node;
}
