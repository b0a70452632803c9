// Finds the places of a source file where one small change gives other code that still runs: a
// comparison turned round, a condition that always holds, a statement left out. Each such change is
// a mutant. Types, imports, words for people and what an invariant asserts are left alone.

import { parseSync, Visitor } from 'oxc-parser';

export interface Mutant {
  /** Path of the source file, from the top of the repository. */
  readonly path: string;
  /** Line of the change, from 1. */
  readonly line: number;
  /** Name of the change: `>= for >`, `always`, `left out`. */
  readonly change: string;
  /** The text that is changed. */
  readonly before: string;
  /** The text that takes the place of `before`. */
  readonly after: string;
  /** Place of `before` in the file's text, in UTF-16 units. */
  readonly start: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
};

/** Returns every mutant of a file, in the order of its text. */
export function findMutants(path: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const found: Mutant[] = [];
  const asserted: Node[] = [];
  const change = (node: Pick<Node, 'start' | 'end'>, after: string, name: string): void => {
    if (asserted.some(({ start, end }) => start <= node.start && node.end <= end)) return;
    const before = text.slice(node.start, node.end);
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ path, line, change: name, before, after, start: node.start });
  };
  const swap = (operator: string, left: Node, right: Node): void => {
    const between = text.slice(left.end, right.start);
    const start = left.end + between.indexOf(operator);
    for (const after of OPERATORS[operator] ?? [])
      change({ start, end: start + operator.length }, after, `${after} for ${operator}`);
  };
  const decide = (test: Node): void => {
    change(test, 'true', 'always');
    change(test, 'false', 'never');
  };
  const isText = ({ type, start, end }: Node): boolean =>
    type === 'TemplateLiteral' || /^['"`]/.test(text.slice(start, end));
  new Visitor({
    CallExpression(node) {
      const callee = text.slice(node.callee.start, node.callee.end);
      if (/^(?:invariant|assertNever)$/.test(callee)) asserted.push(node);
      if (node.callee.type !== 'MemberExpression' || node.callee.computed) return;
      const name = node.callee.property;
      const word = text.slice(name.start, name.end);
      const other = METHODS[word];
      if (other !== undefined) change(name, other, `${other} for ${word}`);
      if (word === 'filter')
        change({ start: node.callee.object.end, end: node.end }, '', 'unfiltered');
    },
    BinaryExpression(node) {
      if (!isText(node.left) && !isText(node.right)) swap(node.operator, node.left, node.right);
    },
    LogicalExpression(node) {
      swap(node.operator, node.left, node.right);
      if (node.operator === '??') change({ start: node.left.end, end: node.end }, '', 'no default');
    },
    AssignmentExpression(node) {
      if (!isText(node.right)) swap(node.operator, node.left, node.right);
    },
    UnaryExpression(node) {
      if (node.operator === '!' || node.operator === '-')
        change({ start: node.start, end: node.argument.start }, '', `no ${node.operator}`);
    },
    IfStatement: ({ test }) => decide(test),
    ConditionalExpression: ({ test }) => decide(test),
    ExpressionStatement(node) {
      const { type } = node.expression;
      if (type === 'CallExpression' || type === 'AssignmentExpression')
        change(node, ';', 'left out');
    },
    ContinueStatement: (node) => change(node, ';', 'left out'),
    Literal(node) {
      const word = text.slice(node.start, node.end);
      if (word === 'true' || word === 'false')
        change(node, String(word === 'false'), 'turned round');
      if (/^\d[\d_]*n?$/.test(word)) {
        const number = BigInt(word.replace(/[_n]/g, '')) + 1n;
        change(node, `${number}${word.endsWith('n') ? 'n' : ''}`, 'one more');
      }
    },
  }).visit(program);
  // Changes inside types are left out, because a literal of a type is no value.
  const code = withoutTypes(program, text);
  return found
    .filter(({ start, before }) => code.slice(start, start + before.length) === before)
    .toSorted((a, b) => a.start - b.start || (a.change < b.change ? -1 : 1));
}

/** Returns the text with every type blanked out. Its length stays the same. */
function withoutTypes(program: ReturnType<typeof parseSync>['program'], text: string): string {
  let code = text;
  const blank = ({ start, end }: Node): void => {
    code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  };
  new Visitor({
    TSTypeAnnotation: blank,
    TSTypeAliasDeclaration: blank,
    TSInterfaceDeclaration: blank,
    TSTypeParameterInstantiation: blank,
  }).visit(program);
  return code;
}

/** Returns the file's text with the one change made. */
export function mutated(text: string, { start, before, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(start + before.length);
}
