import { parseSourceSchema, type SourceSchema, type SourceWithSchema } from '@tributary/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { diffSchemas } from './schema-diff.ts'
import { type Draft, freshDraft, type Versioned, withoutStep, withStep } from './schema-draft.ts'

/**
 * Holds the schema of a source with the unsaved changes of the user. Without changes, the schema is that of the server.
 * `theirs` is the schema of the server if it has changed since the draft began.
 */
export const useSchemaDraft = (source: SourceWithSchema) => {
  const { schema: text, version } = source.schema
  const server = useMemo((): Versioned => ({ version, schema: parseSourceSchema(text) }), [version, text])
  const [draft, setDraft] = useState<Draft | undefined>()
  const kept = useMemo(() => (draft === undefined ? [] : diffSchemas(draft.base.schema, draft.schema)), [draft])
  // After saving, the draft has a newer version than the cache until the cache is updated.
  const current = draft !== undefined && (kept.length > 0 || draft.base.version > version) ? draft : undefined
  const latest = useRef({ current, server })
  useEffect(() => {
    latest.current = { current, server }
  }, [current, server])

  const actions = useMemo(
    () => ({
      /** Changes the draft; consecutive steps with the same `key` are undone together. */
      edit: (change: (schema: SourceSchema) => SourceSchema, key?: string): void => {
        const { current: shown, server: newest } = latest.current
        const next = shown ?? freshDraft(newest)
        const changed = withStep(next, change(next.schema), key)
        latest.current = { current: changed, server: newest }
        setDraft(changed)
      },
      undo: () => setDraft((before) => (before === undefined ? undefined : withoutStep(before))),
      discard: () => setDraft(undefined),
      /** Makes `saved` the base of the draft, without changes. */
      settle: (saved: Versioned) => setDraft(freshDraft(saved)),
      /** Makes another version the base of the draft. `schema` is that version with the same changes. */
      rebase: (base: Versioned, schema: SourceSchema) => setDraft(withStep(freshDraft(base), schema)),
    }),
    [],
  )
  const changes = current === undefined ? [] : kept
  const dirty = changes.length > 0
  return {
    ...actions,
    server,
    base: current?.base ?? server,
    schema: current?.schema ?? server.schema,
    changes,
    dirty,
    canUndo: (current?.past.length ?? 0) > 0,
    theirs: dirty && current !== undefined && current.base.version < version ? server : undefined,
  }
}

export type SchemaDraft = ReturnType<typeof useSchemaDraft>
