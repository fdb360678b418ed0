import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import {
  formatSourceSchema,
  methods,
  type PropertyPlace,
  parseSourceSchema,
  propertyIdOf,
  SchemaError,
  type SourceSchema,
  type SourceWithSchema,
} from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { ApiError } from '../../../lib/api/errors.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { reportError } from '../../../lib/integrations/error-reporting.ts'
import { schemaVersionsQuery } from '../../../lib/queries/schema-queries.ts'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { notify } from '../../../ui/overlays/toast.tsx'
import { isSchemaChanged } from './schema-changed.ts'

/** One change of a source's schema. */
export type SchemaEdit = {
  /** Applies the change to a schema. Applying it a second time must change nothing. */
  change: (schema: SourceSchema) => SourceSchema
  /** The only property that changes; only this property is sent. If it is undefined, the whole schema is sent. */
  place?: PropertyPlace
  /** The notice after success. */
  notice: string
}

/** Maximum number of retries when another user has saved a newer version of the schema. */
const maxRepeats = 2

const textWith = ({ schema }: SourceWithSchema, change: SchemaEdit['change']): string =>
  formatSourceSchema(change(parseSourceSchema(schema.schema)))

/**
 * Returns the source with the change. If the change makes the schema invalid, returns the source unchanged: the server
 * then rejects the change.
 */
const shownWith = (before: SourceWithSchema, change: SchemaEdit['change']): SourceWithSchema => {
  const text = textWith(before, change)
  try {
    parseSourceSchema(text)
  } catch (error) {
    if (error instanceof SchemaError) return before
    throw error
  }
  return { ...before, schema: { ...before.schema, schema: text } }
}

const save = async (cache: QueryClient, source: string, { change, place }: SchemaEdit): Promise<SourceWithSchema> => {
  const base = await cache.ensureQueryData(sourceQuery(source))
  const send = (on: SourceWithSchema): Promise<SourceWithSchema> => {
    const schema = textWith(on, change)
    return call(methods.sources.update, {
      params: sourceIds(source),
      query: { update_mask: 'schema', force_refresh: 'false' },
      // The server adds a single property to its current schema. A whole schema needs its version, because it must not
      // undo changes of other users.
      body:
        place === undefined
          ? { schema, schema_version: on.schema.version }
          : { propertyId: propertyIdOf(place), schema },
    })
  }
  for (let [repeats, on] = [0, base]; ; repeats++) {
    try {
      return await send(on)
    } catch (error) {
      if (repeats === maxRepeats || !isSchemaChanged(error)) throw error
      on = await call(methods.sources.get, { params: sourceIds(source) })
    }
  }
}

/** The mutation key of changes to a source's schema. */
export const editsOf = (source: string) => ['editSchema', source] as const

/**
 * Changes the schema of a source: immediately on this page, then with the server's response. A rejection reverts the
 * change and is reported by the caller; a fault of the server already has its notice.
 */
export const useEditSchema = (source: string) => {
  const cache = useQueryClient()
  const key = sourceQuery(source).queryKey
  const mutationKey = editsOf(source)
  /** Whether other changes of the schema are still in progress. */
  const others = (): boolean => cache.isMutating({ mutationKey }) > 1
  return useMutation({
    mutationKey,
    // Runs the changes one after the other, so that each is based on the version that the previous one has saved.
    scope: { id: mutationKey.join(' ') },
    mutationFn: (edit: SchemaEdit) => save(cache, source, edit),
    onMutate: async ({ change }) => {
      await cache.cancelQueries({ queryKey: key })
      const before = cache.getQueryData(key)
      if (before !== undefined) cache.setQueryData(key, shownWith(before, change))
      return { before }
    },
    onSuccess: (answer, { notice }) => {
      const own = cache.getQueryData(key)
      // The schema in the cache already contains the changes in progress; only its version is outdated.
      cache.setQueryData(
        key,
        own !== undefined && others() ? { ...answer, schema: { ...answer.schema, schema: own.schema.schema } } : answer,
      )
      track('Source Updated', { source, fields: ['schema'] })
      notify('success', notice)
    },
    onError: (error, _edit, context) => {
      if (context?.before !== undefined && !others()) cache.setQueryData(key, context.before)
      void cache.invalidateQueries({ queryKey: key })
      if (!(error instanceof ApiError) || error.status >= 500) return
      if (error.status === 0) notify('error', 'Error', { description: error.message })
      else reportError(error)
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: schemaVersionsQuery(source).queryKey }),
  })
}
