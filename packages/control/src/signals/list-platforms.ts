import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { type DestinationRow, presentAction } from '@tributary/configuration'
import { type PlatformDefinition, signalFieldMappings, standardEventName } from '@tributary/connector-kit'
import { type methods, type PlatformOption, resourceNames, type SignalConversion } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { platformOf } from '@tributary/signals'
import type { ControlDeps } from '../deps.ts'

const dayMs = 86_400_000

const optionOf = (
  row: DestinationRow,
  definition: PlatformDefinition,
  icon: string,
  { conversion, now }: { conversion: SignalConversion; now: number },
): PlatformOption => {
  const { conversions, actions } = definition
  const action = actions.find(({ name }) => name === conversions.action)
  if (action === undefined) throw new Error(`${definition.slug} has no action ${conversions.action}`)
  return {
    destination: resourceNames.destination.format({ workspace: row.workspace_id, destination: row.id }),
    title: row.title,
    app_icon: icon,
    platform: conversions.platform,
    enabled: row.enabled,
    event_name: standardEventName(conversions.platform, conversion),
    has_test_code: conversions.testCode !== undefined,
    takes_refunds: conversions.refund !== undefined,
    event_id_target: conversions.eventId.target,
    pixel_parameter: conversions.eventId.pixelParameter,
    max_age_days: conversions.maxAgeMs.online / dayMs,
    api_version: conversions.apiVersion?.version ?? '',
    api_version_end: conversions.apiVersion?.until ?? null,
    api_notice: conversions.apiVersion?.notice(now) ?? '',
    action: presentAction(action),
    field_mappings: signalFieldMappings(definition),
  }
}

/** Lists the destinations of a workspace that can be platforms of a signal. */
export const listSignalPlatforms =
  ({
    db,
    catalog,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.signals.listPlatforms> =>
  async ({ workspace, params, query }) => {
    const page = openPage('signals.listPlatforms', params, query, offsetCursor)
    const conversion = { type: query.conversion, custom_name: query.custom_name }
    const rows = await db
      .selectFrom('destinations')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('delete_time', 'is', null)
      .orderBy('create_time')
      .orderBy('id')
      .execute()
    const options: PlatformOption[] = []
    for (const row of rows) {
      const definition = await platformOf(catalog, row.app)
      const icon = catalog.destinations.find(({ slug }) => slug === row.app)?.icon ?? ''
      if (definition !== undefined) options.push(optionOf(row, definition, icon, { conversion, now: clock() }))
    }
    const { rows: shown, next } = slicePage(page, options)
    return { platforms: shown, next_page_token: next }
  }
