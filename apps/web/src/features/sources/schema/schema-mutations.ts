import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Enforcement, formatSourceSchema, methods, type Source, type SourceSchema } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { ApiError } from '../../../lib/api/errors.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { schemaVersionsQuery, violationsQuery } from '../../../lib/queries/schema-queries.ts'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'

/** Why a whole schema is saved, for its history. */
export type SchemaOrigin = 'edited' | 'imported' | 'inferred' | 'restored'

/** True if a schema was not saved because another user has changed it since its version. */
export const isSchemaChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.body.reason === 'SCHEMA_CHANGED'

/**
 * Saves the whole schema of a source. It is rejected if another user has changed the schema since `version`; their
 * version is then loaded.
 */
export const useSaveSchema = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ schema, version, origin }: { schema: SourceSchema; version: number; origin: SchemaOrigin }) =>
      call(methods.sources.update, {
        params: sourceIds(source.name),
        query: { update_mask: 'schema', force_refresh: 'false' },
        body: { schema: formatSourceSchema(schema), schema_version: version, schema_change: origin },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(sourceQuery(source.name).queryKey, updated)
      track('Source Updated', { source: source.name, fields: ['schema'] })
      notify('success', 'Source schema updated')
    },
    onError: (error) => {
      if (isSchemaChanged(error)) void cache.invalidateQueries({ queryKey: sourceQuery(source.name).queryKey })
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: schemaVersionsQuery(source.name).queryKey }),
  })
}

/** Changes the enforcement for events that do not match the schema. */
export const useSetEnforcement = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (enforcement: Enforcement) =>
      call(methods.sources.update, {
        params: sourceIds(source.name),
        query: { update_mask: 'enforcement' },
        body: { enforcement },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(sourceQuery(source.name).queryKey, updated)
      track('Source Updated', { source: source.name, fields: ['enforcement'] })
      notify('success', updated.enforcement === 'block' ? 'Blocking Enabled' : 'Blocking Disabled')
    },
  })
}

/** Replays the blocked events that match the schema now. */
export const useReplayBlocked = (source: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.violations.replayBlocked, { params: sourceIds(source), body: {} }),
    onSuccess: ({ replayed }) => {
      if (replayed > 0) notify('success', `${count(replayed)} ${pluralise(replayed, 'event')} sent again`)
    },
    onError: (error) => notifyRefusal('Could not replay the events', error),
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: violationsQuery(source).queryKey })
      refresh(cache, ['events'], sourceIds(source))
    },
  })
}
