// Markup from templates: what is escaped, what nests, and what does not compile or is refused.

import { expect, test } from 'vitest';
import { html } from '../../../src/service/console/port/html.ts';

const EVIL = `<script>alert("1")</script> & 'x'`;
const SAFE = '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;x&#39;';

test('a text is escaped between tags and in attributes, and drawn markup is not escaped again', () => {
  expect(String(html`<p title="a ${EVIL}">${EVIL}</p>`)).toBe(`<p title="a ${SAFE}">${SAFE}</p>`);
  expect(String(html`<ul>${[html`<li>${EVIL}</li>`, 'b', 3]}</ul>`)).toBe(
    `<ul><li>${SAFE}</li>b3</ul>`,
  );
  expect(String(html`<title>${'</title>'}</title>`)).toBe('<title>&#60;/title&#62;</title>');
});

test('a text turns nothing that stands beside it, and a form keeps what it holds', () => {
  const forged = 'é\u202egnp\u001b[2J\n';
  const shown = 'é\\u202egnp\\u001b[2J\n';
  expect(String(html`<h1>${forged} · ${'محل'}</h1>`)).toBe(`<h1>${shown} · <bdi>محل</bdi></h1>`);
  expect(String(html`<option value="${forged}">${forged}${'محل'}</option>`)).toBe(
    `<option value="${forged}">${shown}محل</option>`,
  );
  expect(String(html`<title>${'محل'}</title><p>${'محل'}</p>`)).toBe(
    '<title>محل</title><p><bdi>محل</bdi></p>',
  );
  expect(String(html`<textarea name="x">${forged}</textarea>`)).toBe(
    `<textarea name="x">${forged}</textarea>`,
  );
});

test('null is nothing, 0 is 0, and a flag is markup', () => {
  expect(String(html`<b>${null}${0}${''}</b>`)).toBe('<b>0</b>');
  const flagged = (is: boolean) =>
    String(html`<option value="${'x'}"${is ? html` selected` : null}>x</option>`);
  expect([flagged(true), flagged(false)]).toEqual([
    '<option value="x" selected>x</option>',
    '<option value="x">x</option>',
  ]);
});

test('what came as JSON is no markup', () => {
  const forged = JSON.parse('{"markup":"<b>","toString":null}') as never;
  expect(() => html`<p>${forged}</p>`).toThrow();
  // @ts-expect-error an object of any other make does not compile where markup goes
  expect(() => html`<p>${{ toString: () => '<b>' }}</p>`).toThrow();
});

test.each([
  ['an attribute without quotes', () => html`<a href=${'x onclick=y'}>x</a>`],
  ['single quotes', () => html`<a href='${'x'}'>x</a>`],
  ['the inside of a tag', () => html`<a ${'onclick=x'}>x</a>`],
  ['a script', () => html`<script>${'x'}</script>`],
  ['a style', () => html`<style>${'x'}</style>`],
  ['a comment', () => html`<!-- ${'x'} -->`],
  ['markup in an attribute', () => html`<a href="${html`<b>`}">x</a>`],
  ['a list in an attribute', () => html`<a href="${['a']}">x</a>`],
])('a text is refused in %s', (_, draw) => {
  expect(draw).toThrow();
});
