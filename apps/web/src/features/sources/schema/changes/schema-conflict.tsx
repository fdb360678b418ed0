import { useInfiniteQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { schemaVersionsQuery } from '../../../../lib/queries/schema-queries.ts'
import { Button } from '../../../../ui/button.tsx'
import { RelativeTime } from '../../../../ui/relative-time.tsx'
import { diffSchemas, diffWords } from './schema-diff.ts'
import type { Versioned } from './schema-draft.ts'
import { authorOf } from './schema-history-dialog.tsx'
import { mergeSchemas } from './schema-merge.ts'
import type { SchemaDraft } from './use-schema-draft.ts'

/**
 * Shown if another user changed the schema while there are unsaved changes: author, time and changes, and the two
 * options.
 */
export const SchemaConflict = ({
  source,
  draft,
  theirs,
}: {
  source: string
  draft: SchemaDraft
  theirs: Versioned
}) => {
  const query = useInfiniteQuery(schemaVersionsQuery(source))
  const last = query.data?.pages[0]?.schema_versions.find(({ version }) => version === theirs.version)
  const changed = useMemo(() => diffSchemas(draft.base.schema, theirs.schema), [draft.base, theirs])
  const merged = useMemo(
    () => mergeSchemas(draft.base.schema, draft.schema, theirs.schema),
    [draft.base, draft.schema, theirs],
  )
  return (
    <section
      role="alert"
      aria-label="The schema has changed"
      className="rounded-lg border border-warning bg-warning-soft p-4 text-sm text-warning-ink"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        The schema has changed
      </h2>
      <p className="mt-1">
        {last === undefined ? (
          'Someone saved a new version'
        ) : (
          <>
            {authorOf(last)} saved version {theirs.version} <RelativeTime time={last.create_time} />
          </>
        )}
        : {diffWords(changed).toLowerCase()}. Your changes are not saved yet: {diffWords(draft.changes)}.
      </p>
      {merged.conflicts.length > 0 && (
        <p className="mt-1">
          Both of you changed these. Yours would be used:{' '}
          <strong className="font-medium break-words">{merged.conflicts.slice(0, 20).join('; ')}</strong>
          {merged.conflicts.length > 20 && ` and ${merged.conflicts.length - 20} more`}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="inverse" onClick={() => draft.rebase(theirs, merged.schema)}>
          Apply my changes on top
        </Button>
        <Button onClick={draft.discard}>Load theirs</Button>
      </div>
    </section>
  )
}
