import { useQueryClient } from '@tanstack/react-query'
import { type Destination, methods } from '@tributary/contract'
import { useMemo } from 'react'
import { call } from '../../lib/api/client.ts'
import { destinationIds, workspaceIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { refresh } from '../../lib/queries/query.ts'
import type { BulkAction } from '../../ui/lists/bulk-bar.tsx'

const switchTo = async ({ name }: Destination, enabled: boolean): Promise<void> => {
  await call(methods.destinations.update, {
    params: destinationIds(name),
    query: { update_mask: 'enabled' },
    body: { enabled },
  })
  track('Destination Updated', { destination: name, fields: ['enabled'] })
}

/** The actions on several destinations, and the reload of the data that they change. */
export const useDestinationActions = (workspace: string) => {
  const cache = useQueryClient()
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
    const readAgain = (): void => {
      refresh(cache, ['destinations', 'catalogDestinations', 'connections'], workspaceIds(workspace))
      refresh(cache, ['workspaces'])
    }
    return { actions, refresh: readAgain }
  }, [cache, workspace])
}
