import type { SignedInUser } from '../wire/app.js';

type UserKind = SignedInUser['kind'];

/** The pages that are not for all users. */
const audiences: Readonly<Record<string, readonly UserKind[]>> = {
  '/keys': ['member', 'admin'],
  '/settings': ['member', 'admin'],
  '/status': ['admin'],
};

/** The users that a page is for; null: all. */
export function audienceOf(path: string): readonly UserKind[] | null {
  return audiences[path] ?? null;
}

export function mayOpen(kind: UserKind, path: string): boolean {
  return audienceOf(path)?.includes(kind) ?? true;
}
