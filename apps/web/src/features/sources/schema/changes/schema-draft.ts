import type { SourceSchema } from '@tributary/contract'

/** A version of a schema. */
export type Versioned = { readonly version: number; readonly schema: SourceSchema }

/** The unsaved changes of a schema. */
export type Draft = {
  /** The version on which the changes are based. */
  readonly base: Versioned
  readonly schema: SourceSchema
  /**
   * The schemas before each step, oldest first. Consecutive steps with the same key, as when a user types, count as one
   * step.
   */
  readonly past: readonly { readonly key: string | undefined; readonly schema: SourceSchema }[]
}

/** Returns a draft that has no changes. */
export const freshDraft = (base: Versioned): Draft => ({ base, schema: base.schema, past: [] })

/** Returns the draft after a step. If a step changes nothing, the draft stays as it is. */
export const withStep = (draft: Draft, schema: SourceSchema, key?: string): Draft => {
  if (schema === draft.schema) return draft
  const joins = key !== undefined && draft.past.at(-1)?.key === key
  return { ...draft, schema, past: joins ? draft.past : [...draft.past, { key, schema: draft.schema }] }
}

/** The draft before its last step. */
export const withoutStep = (draft: Draft): Draft => {
  const last = draft.past.at(-1)
  return last === undefined ? draft : { ...draft, schema: last.schema, past: draft.past.slice(0, -1) }
}
