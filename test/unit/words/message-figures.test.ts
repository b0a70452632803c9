// A message uses figures that its kind has, and chooses among values that these can have. The check
// is made by the type checker, because only it knows the figures of a kind.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LABELS } from '../../../src/core/words/tree.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-figures-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Use {
  readonly name: string;
  /** The value that is chosen; `null` where none is named. */
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

/**
 * Returns one line for each use. It compiles where the kind has the figure, and the figure can have
 * the value.
 */
function claimsOf(messages: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(messages).flatMap(([kind, text]) =>
    [...usesIn(new IntlMessageFormat(text, 'fr').getAst())].map(({ name, value }) => {
      const of = `Valued<FindingFigures['${kind}']>`;
      if (value === null) return `claim<keyof ${of}>('${name}');`;
      return `claim<Choice<${of}['${name}' & keyof ${of}]>>('${value}');`;
    }),
  );
}

const HEAD = `import type { FindingFigures } from '${join(root, 'src/core/domain/finding-kind.ts')}';
type Every<F> = F extends unknown ? keyof F : never;
type Of<F, Name> = F extends { readonly [N in Name & string]: infer V } ? V : never;
type Lists<F> = { [N in Every<F>]: Of<F, N> extends readonly unknown[] ? N : never }[Every<F>];
type Spans<F> = 'first' extends Every<F> ? ('last' extends Every<F> ? 'lines' : never) : never;
type Valued<F> = { [N in Every<F>]: Of<F, N> } & Record<\`\${Lists<F> & string}Count\` | Spans<F>, number>;
type Choice<V> = V extends string ? Underscored<V> : V extends boolean | null ? \`\${V}\` : never;
type Underscored<S extends string> = S extends \`\${infer A}-\${infer B}\` ? \`\${A}_\${Underscored<B>}\` : S;
declare function claim<Allowed>(said: Allowed): void;
`;

const CLAIMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fr: LABELS.fr.findings.messages,
  en: LABELS.en.findings.messages,
  figure: { HOLD_MISSING: '{held}' },
  choice: { COUNTRY_NOT_ALLOWED: '{by, select, partner {a} other {b}}' },
};

/** What the type checker says of each use. It looks at all of them at once. */
const complaints = new Map<string, string>();

beforeAll(() => {
  for (const [name, messages] of Object.entries(CLAIMED)) {
    const claims = claimsOf(messages);
    expect(claims.length).toBeGreaterThan(0);
    writeFileSync(join(scratch, `${name}.ts`), `${HEAD}${claims.join('\n')}\n`);
  }
  const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] };
  const files = Object.keys(CLAIMED).map((name) => `${name}.ts`);
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, '--noEmit', '--pretty', 'false', '-p', '.'],
    {
      cwd: scratch,
      encoding: 'utf8',
    },
  );
  // A complaint that is about none of them counts for all.
  for (const name of Object.keys(CLAIMED)) complaints.set(name, '');
  for (const said of stdout.split(/^(?=\S)/m)) {
    const own = Object.keys(CLAIMED).filter((name) => said.startsWith(`${name}.ts(`));
    for (const name of own.length === 0 ? Object.keys(CLAIMED) : own)
      complaints.set(name, complaints.get(name)! + said);
  }
}, 60_000);

test.each(['fr', 'en'] as const)('in %s', (language) => {
  expect(complaints.get(language)).toBe('');
});

test('and is refused with another', () => {
  expect(complaints.get('figure')).toContain('\'"held"\'');
  expect(complaints.get('choice')).toContain('\'"partner"\'');
});
