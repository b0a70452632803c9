// Words that English cannot do without and French does not have: a text with one of them was not
// put into French.

const FUNCTION_WORDS =
  /(?<![\p{L}\p{N}_@.’'-])(?:the|is|are|was|were|been|be|not|with|of|and|there|their|line|lines|for|from|has|have|had|but|which|its|it|this|that|these|by|at|after|before|instead|than|must|does|nothing|never|when|where|who|whose)(?![\p{L}\p{N}_@’'-])/giu;

/** Returns these words as they stand in the text, in their order. */
export function englishIn(text: string): readonly string[] {
  return text.match(FUNCTION_WORDS) ?? [];
}
