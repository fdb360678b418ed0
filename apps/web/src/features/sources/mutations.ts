import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Source, type TargetProduct } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { forgetRecent } from '../../lib/browser/recent.ts'
import { sourceIds, workspaceIds } from '../../lib/format/names.ts'
import { sentence } from '../../lib/format/text.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { refresh, removeRow } from '../../lib/queries/query.ts'
import { allSourcesQuery, connectionsQuery, sourceQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** The end of the resource name of a source that is still being created. Such a source has no page yet. */
const creating = '/sources/creating'
/** Whether a listed source is still being created and has no final name yet. */
export const isCreating = (source: Source): boolean => source.name.endsWith(creating)

const optimistic = (workspace: string, title: string, app: NewSource['app']): Source => {
  const now = new Date().toISOString()
  return {
    name: workspace + creating,
    title,
    app: {
      name: `${workspace}${creating}/app`,
      catalog_app: app.name,
      display_name: app.display_name,
      docs_url: app.docs_url,
      type: app.type,
      extra: { app_icon: app.icon },
      settings: [],
    },
    target_product: app.target_product,
    enabled: true,
    enforcement: 'allow',
    schema_version: 1,
    create_time: now,
    update_time: now,
    has_received: false,
    last_event_time: null,
  }
}

type NewSource = {
  title: string
  /** Resource name of a template or of another source, whose schema is the first schema of the new source. */
  template?: string
  app: {
    name: string
    display_name: string
    icon: string
    type: number
    docs_url: string
    target_product: TargetProduct
  }
}

/**
 * Creates a source and then its first write key. The list shows the source immediately and removes it if the server
 * rejects it. If only the key fails, the source stays and a notice says so: a key can be created on its page.
 */
export const useCreateSource = (workspace: string, product: TargetProduct) => {
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const list = sourcesQuery(workspace, product).queryKey
  return useMutation({
    mutationFn: async ({ title, app, template }: NewSource) => {
      const source = await call(methods.sources.create, {
        params: workspaceIds(workspace),
        body: {
          title,
          app: { name: app.name },
          ...(template === undefined ? {} : { schema: { initial_template: { name: template } } }),
        },
      })
      const keyless = await call(methods.writekeys.create, {
        params: workspaceIds(workspace),
        body: { source: source.name },
      }).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      return { source, keyless }
    },
    onMutate: async ({ title, app }) => {
      await cache.cancelQueries({ queryKey: list })
      const before = cache.getQueryData(list)
      if (before !== undefined) cache.setQueryData(list, [optimistic(workspace, title, app), ...before])
      return { before }
    },
    onError: (_error, _input, context) => {
      if (context?.before !== undefined) cache.setQueryData(list, context.before)
    },
    onSuccess: ({ source, keyless }) => {
      track('Source Created', {
        source: source.name,
        app: source.app.catalog_app,
        app_title: source.app.display_name,
      })
      notify('success', 'Source Created')
      if (keyless !== undefined)
        notify('warning', 'No write key was created', {
          description: `${sentence(failureText(keyless.error))} You need one to send events. Create it on the Set up tab.`,
          timeout: false,
        })
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: list })
      void cache.invalidateQueries({ queryKey: allSourcesQuery(workspace).queryKey })
      refresh(cache, ['catalogSources'], workspaceIds(workspace))
      void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
    },
  })
}

/** Changes a source's title, or enables and disables it; the switch moves immediately and reverts on a rejection. */
export const useUpdateSource = (source: Source) => {
  const cache = useQueryClient()
  const { workspace } = sourceIds(source.name)
  return useMutation({
    mutationFn: (change: { title: string } | { enabled: boolean }) =>
      call(methods.sources.update, {
        params: sourceIds(source.name),
        query: { update_mask: Object.keys(change).join(',') },
        body: change,
      }),
    onMutate: (change) => {
      const before = cache.getQueryData(sourceQuery(source.name).queryKey)
      if ('enabled' in change && before !== undefined)
        cache.setQueryData(sourceQuery(source.name).queryKey, { ...before, ...change })
      return { before }
    },
    onError: (error, change, context) => {
      if (context?.before !== undefined) cache.setQueryData(sourceQuery(source.name).queryKey, context.before)
      // The form for the title shows this error itself.
      if ('enabled' in change)
        notifyRefusal(change.enabled ? 'Could not enable the source' : 'Could not disable the source', error)
    },
    onSuccess: (updated, change) => {
      cache.setQueryData(sourceQuery(source.name).queryKey, updated)
      track('Source Updated', { source: source.name, fields: Object.keys(change) })
      notify(
        'success',
        'title' in change ? 'Source Title Updated' : updated.enabled ? 'Source Enabled' : 'Source Disabled',
      )
    },
    onSettled: () =>
      void cache.invalidateQueries({
        queryKey: sourcesQuery(`workspaces/${workspace}`, source.target_product).queryKey,
      }),
  })
}

/** Deletes a source. It disappears from the list immediately and returns if the server rejects the deletion. */
export const useDeleteSource = (source: Source) => {
  const cache = useQueryClient()
  const workspace = `workspaces/${sourceIds(source.name).workspace}`
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const list = sourcesQuery(workspace, source.target_product).queryKey
  return useMutation({
    mutationFn: () => call(methods.sources.delete, { params: sourceIds(source.name) }),
    onMutate: () => removeRow(cache, list, source.name),
    onError: (_error, _input, context) => context?.restore(),
    onSuccess: () => {
      track('Source Deleted', { source: source.name })
      forgetRecent(workspace, source.name)
      notify('success', 'Source Deleted')
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: list })
      void cache.invalidateQueries({ queryKey: allSourcesQuery(workspace).queryKey })
      refresh(cache, ['catalogSources'], workspaceIds(workspace))
      void cache.invalidateQueries({ queryKey: connectionsQuery(workspace).queryKey })
      void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
    },
  })
}
