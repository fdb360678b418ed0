import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Destination, type MethodRequest, methods, type SettingValue } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { forgetRecent } from '../../lib/browser/recent.ts'
import { destinationIds, workspaceIds } from '../../lib/format/names.ts'
import { count, listed, sentence } from '../../lib/format/text.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { refresh, removeRow } from '../../lib/queries/query.ts'
import {
  connectionsQuery,
  destinationQuery,
  destinationsQuery,
  sourcesQuery,
} from '../../lib/queries/workspace-queries.ts'
import { settingNotice } from '../../lib/settings/setting-values.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** A source that was chosen for a new destination but could not be connected, with the error. */
type Unconnected = { source: string; error: unknown }

/**
 * Shows which of the chosen sources are not connected, why, and where a user can connect them; stays until it is
 * closed.
 */
const notifyUnconnected = (unconnected: readonly Unconnected[], titles: ReadonlyMap<string, string>): void => {
  const [first] = unconnected
  if (first === undefined) return
  const names = listed(unconnected.map(({ source }) => titles.get(source) ?? 'a source'))
  notify('warning', `Could not connect ${names}`, {
    description: `${sentence(failureText(first.error))} Connect ${unconnected.length === 1 ? 'it' : 'them'} on the Connections tab.`,
    timeout: false,
  })
}

/**
 * Creates a destination and connects it with the chosen sources. The destination stays when some of them cannot be
 * connected, and a notice has the reason.
 */
export const useCreateDestination = (workspace: string) => {
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  return useMutation({
    mutationFn: async ({
      sources,
      ...body
    }: {
      title: string
      app: { name: string }
      settings: Record<string, SettingValue>
      sources: readonly string[]
    }) => {
      const destination = await call(methods.destinations.create, { params: workspaceIds(workspace), body })
      // The destination exists now. If a connection fails, the user can create it on the page of the destination.
      const connected = await Promise.all(
        sources.map((source) =>
          call(methods.connections.create, {
            params: workspaceIds(workspace),
            body: { source, destination: destination.name },
          }).then(
            () => [],
            (error: unknown): Unconnected[] => [{ source, error }],
          ),
        ),
      )
      return { destination, unconnected: connected.flat() }
    },
    onSuccess: ({ destination, unconnected }) => {
      cache.setQueryData(destinationQuery(destination.name).queryKey, destination)
      track('Destination Created', { destination: destination.name, app: destination.app.catalog_app })
      notify('success', 'Destination Created')
      const known = cache.getQueryData(sourcesQuery(workspace).queryKey) ?? []
      notifyUnconnected(unconnected, new Map(known.map(({ name, title }) => [name, title])))
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: destinationsQuery(workspace).queryKey })
      refresh(cache, ['catalogDestinations'], workspaceIds(workspace))
      void cache.invalidateQueries({ queryKey: connectionsQuery(workspace).queryKey })
      void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
    },
  })
}

const workspaceOf = (destination: Destination): string => `workspaces/${destinationIds(destination.name).workspace}`

/**
 * Changes a destination's title or consent, or pauses and resumes it; the switch moves immediately and reverts on a
 * rejection.
 */
export const useUpdateDestination = (destination: Destination) => {
  const cache = useQueryClient()
  const key = destinationQuery(destination.name).queryKey
  return useMutation({
    mutationFn: (change: { title: string } | { enabled: boolean } | { consent_categories: string[] }) =>
      call(methods.destinations.update, {
        params: destinationIds(destination.name),
        query: { update_mask: Object.keys(change).join(',') },
        body: change,
      }),
    onMutate: (change) => {
      const before = cache.getQueryData(key)
      if ('enabled' in change && before !== undefined) cache.setQueryData(key, { ...before, ...change })
      return { before }
    },
    onError: (error, change, context) => {
      if (context?.before !== undefined) cache.setQueryData(key, context.before)
      // The forms for title and consent show this error themselves.
      if ('enabled' in change)
        notifyRefusal(change.enabled ? 'Could not resume the destination' : 'Could not pause the destination', error)
    },
    onSuccess: (updated, change) => {
      cache.setQueryData(key, updated)
      track('Destination Updated', { destination: destination.name, fields: Object.keys(change) })
      notify('success', 'Destination Updated')
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: destinationsQuery(workspaceOf(destination)).queryKey }),
  })
}

/** Changes one setting of a destination's app. */
export const useUpdateSetting = (destination: Destination) => {
  const cache = useQueryClient()
  const key = destinationQuery(destination.name).queryKey
  return useMutation({
    mutationFn: (body: { name: string; value: SettingValue; secrets?: Record<string, SettingValue> }) =>
      call(methods.destinations.updateSetting, { params: destinationIds(destination.name), body }),
    onSuccess: (app, { name }) => {
      track('Destination Updated', { destination: destination.name, fields: [`settings.${name}`] })
      const before = cache.getQueryData(key)
      if (before !== undefined) cache.setQueryData(key, { ...before, app })
      notify('success', 'Setting Updated', settingNotice(app, name))
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: key })
      // Reloads the sources even if no page shows them. If this fails, the next page that shows them reports it.
      void cache.fetchQuery({ ...sourcesQuery(workspaceOf(destination)), staleTime: 0 }).catch(() => undefined)
    },
  })
}

/** Removes the OAuth grant of a destination. */
export const useDisconnect = (destination: Destination) => {
  const cache = useQueryClient()
  const key = destinationQuery(destination.name).queryKey
  return useMutation({
    mutationFn: () => call(methods.destinations.disconnect, { params: destinationIds(destination.name), body: {} }),
    onSuccess: (updated) => {
      cache.setQueryData(key, updated)
      track('Destination Updated', { destination: destination.name, fields: ['grant'] })
      notify('success', 'Destination Disconnected')
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: destinationsQuery(workspaceOf(destination)).queryKey }),
  })
}

/** Deletes a destination. It disappears from the list immediately and returns if the server rejects the deletion. */
export const useDeleteDestination = (destination: Destination) => {
  const cache = useQueryClient()
  const workspace = workspaceOf(destination)
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const list = destinationsQuery(workspace).queryKey
  return useMutation({
    mutationFn: () => call(methods.destinations.delete, { params: destinationIds(destination.name) }),
    onMutate: () => removeRow(cache, list, destination.name),
    onError: (_error, _input, context) => context?.restore(),
    onSuccess: () => {
      track('Destination Deleted', { destination: destination.name })
      forgetRecent(workspace, destination.name)
      notify('success', 'Destination Deleted')
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: list })
      refresh(cache, ['catalogDestinations'], workspaceIds(workspace))
      void cache.invalidateQueries({ queryKey: connectionsQuery(workspace).queryKey })
      void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
    },
  })
}

/** The scope of a retry at a destination. */
export type Retried = MethodRequest<typeof methods.destinations.retry>

/** Makes all or some held deliveries of a destination due now. */
export const useRetryDeliveries = (destination: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: Retried) => call(methods.destinations.retry, { params: destinationIds(destination), body }),
    onSuccess: ({ event_count }) =>
      notify('success', 'Retry Started', {
        description: `${count(event_count)} ${event_count === 1 ? 'event is' : 'events are'} due now.`,
      }),
    onError: (error) => notifyRefusal('Could not retry', error),
    onSettled: () => {
      // Not awaited: the calling component may be removed before the lists are reloaded.
      refresh(cache, ['deliveries', 'failureGroups', 'deliveryOverviews'], destinationIds(destination))
    },
  })
}
