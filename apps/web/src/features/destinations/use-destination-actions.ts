import { useQueryClient } from '@tanstack/react-query'
import { type Destination, methods } from '@tributary/contract'
import { useMemo } from 'react'
import { track } from '../../lib/analytics.ts'
import { call } from '../../lib/client.ts'
import { destinationIds } from '../../lib/names.ts'
import { keys } from '../../lib/query-keys.ts'
import { useSession } from '../../lib/session.ts'
import type { BulkAction } from '../../ui/bulk-bar.tsx'

const switchTo = async ({ name }: Destination, enabled: boolean): Promise<void> => {
  await call(methods.destinations.update, {
    params: destinationIds(name),
    query: { update_mask: 'enabled' },
    body: { enabled },
  })
  track('Destination Updated', { destination: name, fields: ['enabled'] })
}

/** What can be done to many destinations at once, and what reads again what it changes. */
export const useDestinationActions = (workspace: string) => {
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  return useMemo(() => {
    const actions: BulkAction<Destination>[] = [
      {
        label: 'Resume',
        done: 'resumed',
        text: 'Held events are delivered now, and new events as they arrive.',
        run: (row) => switchTo(row, true),
      },
      {
        label: 'Pause',
        done: 'paused',
        text: 'Their events are held until you resume.',
        run: (row) => switchTo(row, false),
      },
      {
        label: 'Delete',
        done: 'deleted',
        danger: true,
        text: "Their settings, mappings, and connections are deleted, and no more events are delivered to them. This can't be undone.",
        run: async ({ name }) => {
          await call(methods.destinations.delete, { params: destinationIds(name) })
          track('Destination Deleted', { destination: name })
        },
      },
    ]
    const refresh = (): void => {
      for (const queryKey of [
        keys.destinations(workspace),
        ['destination'],
        keys.catalogDestinations(workspace),
        keys.connections(workspace),
        keys.workspaces(user),
      ])
        void cache.invalidateQueries({ queryKey })
    }
    return { actions, refresh }
  }, [cache, workspace, user])
}
