// A message takes figures that its kind has, and chooses among values that they can have: said to the type checker, which is
// the only one that knows the figures of a kind.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { afterAll, expect, test } from 'vitest';
import { LABELS } from '../../../src/core/words/tree.ts';

const root = join(import.meta.dirname, '../../..');
/** Beside the test, for its imports; `test/docs.test.ts` passes it over. */
const scratch = join(root, 'test/unit/words/figures-scratch');
mkdirSync(scratch, { recursive: true });
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Use {
  readonly name: string;
  /** Null where no value is named. */
  readonly value: string | null;
}

type Elements = ReturnType<IntlMessageFormat['getAst']>;

function* usesIn(elements: Elements): Generator<Use> {
  for (const element of elements) {
    if (element.type === 0 || element.type === 7) continue;
    const { value: name } = element as { readonly value: string };
    if ('children' in element) yield* usesIn(element.children);
    else yield { name, value: null };
    if (!('options' in element)) continue;
    for (const [value, option] of Object.entries(element.options)) {
      if (!('pluralType' in element) && value !== 'other') yield { name, value };
      yield* usesIn(option.value);
    }
  }
}

/** One line for each use: it compiles where the kind has the figure, and the figure can have the value. */
function claimsOf(messages: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(messages).flatMap(([kind, text]) =>
    [...usesIn(new IntlMessageFormat(text, 'fr').getAst())].map(({ name, value }) => {
      const of = `Valued<FindingFigures['${kind}']>`;
      if (value === null) return `claim<keyof ${of}>('${name}');`;
      return `claim<Choice<${of}['${name}' & keyof ${of}]>>('${value}');`;
    }),
  );
}

const HEAD = `import type { FindingFigures } from '../../../../src/core/domain/finding-kind.ts';
type Every<F> = F extends unknown ? keyof F : never;
type Of<F, Name> = F extends { readonly [N in Name & string]: infer V } ? V : never;
type Lists<F> = { [N in Every<F>]: Of<F, N> extends readonly unknown[] ? N : never }[Every<F>];
type Spans<F> = 'first' extends Every<F> ? ('last' extends Every<F> ? 'lines' : never) : never;
type Valued<F> = { [N in Every<F>]: Of<F, N> } & Record<\`\${Lists<F> & string}Count\` | Spans<F>, number>;
type Choice<V> = V extends string ? Underscored<V> : V extends boolean | null ? \`\${V}\` : never;
type Underscored<S extends string> = S extends \`\${infer A}-\${infer B}\` ? \`\${A}_\${Underscored<B>}\` : S;
declare function claim<Allowed>(said: Allowed): void;
`;

function complaints(messages: Readonly<Record<string, string>>): string {
  const file = join(scratch, 'claims.ts');
  const claims = claimsOf(messages);
  expect(claims.length).toBeGreaterThan(0);
  writeFileSync(file, `${HEAD}${claims.join('\n')}\n`);
  writeFileSync(
    join(scratch, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../../tsconfig.json', include: ['claims.ts'], files: ['claims.ts'] }),
  );
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', scratch]);
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: Buffer }).stdout);
  }
}

test.each(['fr', 'en'] as const)(
  'in %s',
  (language) => {
    expect(complaints(LABELS[language].findings.messages)).toBe('');
  },
  60_000,
);

test('and is refused with another', () => {
  const refused = (text: string): string => complaints({ HOLD_MISSING: text });
  expect(refused('{held}')).toContain('\'"held"\'');
  const choice = complaints({ COUNTRY_NOT_ALLOWED: '{by, select, partner {a} other {b}}' });
  expect(choice).toContain('\'"partner"\'');
}, 60_000);
