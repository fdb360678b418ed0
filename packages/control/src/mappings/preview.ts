import { readDestination, requireDefinition } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { warnOfMappings } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { tryMapping } from './try-mapping.ts'

/** Shows the result of a mapping for an event, with the same code as deliveries. Stores and sends nothing. */
export const previewMapping =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'eventStore' | 'clock' | 'workShare' | 'profileValues'>,
  ): Handler<typeof methods.mappings.preview> =>
  async ({ workspace, params, body, signal }) => {
    const row = await readDestination(deps.db, workspace.id, params.destination)
    const definition = await requireDefinition(deps.catalog, row, 'event_mapping')
    const [{ shown }, warnings] = await Promise.all([
      tryMapping(deps, row, definition, body, signal),
      warnOfMappings(deps, [{ mapping: body.event_mapping, field: 'event_mapping' }], {
        workspaceId: workspace.id,
        signal,
      }),
    ])
    return { ...shown, warnings }
  }
