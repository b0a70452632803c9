// For each finding the one that it follows from; a root follows from none. It decides neither.

import type { Material } from './material.ts';

/**
 * A rule by which a finding follows from another, one way: it never makes two faults one. It is asked for each finding that is
 * still a root, in the order of the drafts, and answers with the cause, or null.
 */
export type FollowRule = (material: Material, causes: Causes) => (self: number) => number | null;

export interface Causes {
  isRoot(member: number): boolean;
  rootOf(member: number): number;
  /** Does nothing where `cause` itself comes from `member`. */
  follow(member: number, cause: number): void;
}

export function beginCauses(size: number): Causes {
  const causes = Array.from({ length: size }, (_, i) => i);
  const rootOf = (member: number): number => {
    let root = member;
    while (causes[root] !== root) root = causes[root]!;
    return root;
  };
  return {
    isRoot: (member) => causes[member] === member,
    rootOf,
    follow(member, cause) {
      const root = rootOf(cause);
      if (root !== member) causes[member] = root;
    },
  };
}
