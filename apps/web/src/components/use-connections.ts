import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type EventConditions, methods } from '@tributary/contract'
import { call } from '../lib/api/client.ts'
import { connectionIds, workspaceIds } from '../lib/format/names.ts'
import { connectionsQuery } from '../lib/queries/workspace-queries.ts'
import { notify, notifyRefusal } from '../ui/overlays/toast.tsx'

/**
 * Creates, switches, filters, and removes connections of a source or destination. `end` is the end of the connection
 * that the page is not about.
 */
export const useConnections = (workspace: string, end: 'Source' | 'Destination') => {
  const cache = useQueryClient()
  const list = connectionsQuery(workspace).queryKey
  const settled = () => cache.invalidateQueries({ queryKey: list })
  const connect = useMutation({
    mutationFn: (body: { source: string; destination: string }) =>
      call(methods.connections.create, { params: workspaceIds(workspace), body }),
    onSuccess: () => notify('success', `${end} Connected`),
    onSettled: settled,
  })
  const disconnect = useMutation({
    mutationFn: (connection: string) => call(methods.connections.delete, { params: connectionIds(connection) }),
    onSuccess: () => notify('success', `${end} Disconnected`),
    onSettled: settled,
  })
  const enable = useMutation({
    mutationFn: ({ name, enabled }: { name: string; enabled: boolean }) =>
      call(methods.connections.update, {
        params: connectionIds(name),
        query: { update_mask: 'enabled' },
        body: { enabled },
      }),
    onMutate: ({ name, enabled }) => {
      const before = cache.getQueryData(list)
      cache.setQueryData(
        list,
        before?.map((connection) => (connection.name === name ? { ...connection, enabled } : connection)),
      )
      return { before }
    },
    onError: (error, _change, context) => {
      cache.setQueryData(list, context?.before)
      notifyRefusal('Could not switch the connection', error)
    },
    onSettled: settled,
  })
  const setFilter = useMutation({
    mutationFn: ({ name, filter }: { name: string; filter: EventConditions }) =>
      call(methods.connections.update, {
        params: connectionIds(name),
        query: { update_mask: 'filter' },
        body: { filter },
      }),
    onSuccess: () => notify('success', 'Connection Updated'),
    onSettled: settled,
  })
  return { connect, disconnect, enable, setFilter }
}
