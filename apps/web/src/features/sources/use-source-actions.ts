import { useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type Source } from '@tributary/contract'
import { useMemo } from 'react'
import { call } from '../../lib/api/client.ts'
import { sourceIds, workspaceIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { refresh } from '../../lib/queries/query.ts'
import { destinationsQuery } from '../../lib/queries/workspace-queries.ts'
import type { BulkAction } from '../../ui/lists/bulk-bar.tsx'

const switchTo = async ({ name }: Source, enabled: boolean): Promise<void> => {
  await call(methods.sources.update, {
    params: sourceIds(name),
    query: { update_mask: 'enabled' },
    body: { enabled },
  })
  track('Source Updated', { source: name, fields: ['enabled'] })
}

/** The actions on several sources, and the reload of the data that they change. `needed` is whether any is selected. */
export const useSourceActions = (workspace: string, needed: boolean) => {
  const cache = useQueryClient()
  const destinations = useQuery({ ...destinationsQuery(workspace), enabled: needed }).data
  return useMemo(() => {
    const connect: BulkAction<Source> = {
      label: 'Connect',
      done: 'connected',
      text: 'From then on every accepted event of them is delivered to the destination.',
      ask: {
        label: 'Destination',
        options: (destinations ?? []).map(({ name, title, app }) => ({
          value: name,
          title,
          note: app.display_name,
          icon: app.extra.app_icon,
        })),
      },
      run: ({ name }, destination) =>
        call(methods.connections.create, { params: workspaceIds(workspace), body: { source: name, destination } }),
    }
    const actions: BulkAction<Source>[] = [
      ...(destinations === undefined || destinations.length === 0 ? [] : [connect]),
      {
        label: 'Enable',
        done: 'enabled',
        text: 'Their events are accepted from now on.',
        run: (row) => switchTo(row, true),
      },
      {
        label: 'Disable',
        done: 'disabled',
        text: 'Their events are refused until you enable them again. Stored events are kept.',
        run: (row) => switchTo(row, false),
      },
      {
        label: 'Delete',
        done: 'deleted',
        danger: true,
        text: "Their write keys stop working immediately and their connections are removed. This can't be undone.",
        run: async ({ name }) => {
          await call(methods.sources.delete, { params: sourceIds(name) })
          track('Source Deleted', { source: name })
        },
      },
    ]
    const readAgain = (): void => {
      refresh(cache, ['sources', 'catalogSources', 'connections'], workspaceIds(workspace))
      refresh(cache, ['workspaces'])
    }
    return { actions, refresh: readAgain }
  }, [cache, workspace, destinations])
}
