import { methods, type SignalDefinition } from '@tributary/contract'
import { type Harness, idIn, listed, type Organization, testCatalog } from './control-harness.ts'
import { platformDestination } from './platform-destination.ts'

/**
 * The catalog of the tests with three advertising platforms. The first one has test codes. The second one receives
 * refunds as the remaining value of a conversion. The third one accepts denied consent, and receives refunds as the
 * refunded amount.
 */
export const signalsCatalog = {
  ...testCatalog,
  destinations: [
    ...testCatalog.destinations,
    ...listed(
      platformDestination('meta', { testCode: true }),
      platformDestination('google_ads', { refunds: 'restates' }),
      platformDestination('google_analytics', { takesDenied: true, refunds: 'reports' }),
    ),
  ],
}

/** Makes a destination for an app of `signalsCatalog`. Resolves to its resource name. */
export const makePlatform = async ({ administrator, workspaceId }: Organization, slug: string): Promise<string> => {
  const body = { title: slug, app: { name: `catalogDestinations/${slug}` }, settings: { url: 'https://a.example' } }
  return (await administrator.ok(methods.destinations.create, { workspace: workspaceId }, { body })).name
}

/** Returns a signal that sends the orders of a source to destinations. */
export const trialSignal = (source: string, platforms: readonly string[]): SignalDefinition => ({
  trigger: {
    type: 'events',
    sources: [source],
    events: [{ event_type: 'track', event_name: 'Order Completed' }],
    filters: [],
    filter_match: 'all',
  },
  conversion: { type: 'purchase', custom_name: '' },
  value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency', currency: '' },
  event_id: { type: 'path', path: 'properties.order_id' },
  refunds: null,
  platforms: platforms.map((destination) => ({
    destination,
    event_name: '',
    test_event_code: '',
    field_mappings: null,
  })),
})

/** Makes a disabled signal. Removes the previous ones, because a workspace can have only a few. */
export const makeSignal = async (
  harness: Harness,
  { administrator, workspaceId }: Organization,
  source: string,
): Promise<string> => {
  await harness.db.deleteFrom('signals').where('workspace_id', '=', workspaceId).execute()
  const body = { title: 'Orders', ...trialSignal(source, []) }
  return idIn((await administrator.ok(methods.signals.create, { workspace: workspaceId }, { body })).name)
}

const csv = 'event_id,event_time,email,value,currency\r\no1,2026-03-01T00:00:00Z,ada@example.com,5,EUR\r\n'

/** Makes a call about signals that needs more than its path parameters. */
export const signalRequest = async (
  harness: Harness,
  organization: Organization,
  { name, path, source }: { name: string; path: string; source: string },
): Promise<{ path: string; body?: unknown } | undefined> => {
  if (!name.startsWith('signals.')) return undefined
  const period = 'start_date.seconds=1767225600&end_date.seconds=1767312000'
  if (/Quality$|Overview$|Attribution$/.test(name)) return { path: `${path}?${period}` }
  const { workspaceId } = organization
  if (name === 'signals.create' || name === 'signals.preview') {
    await harness.db.deleteFrom('signals').where('workspace_id', '=', workspaceId).execute()
    const definition = trialSignal(source, [])
    return { path, body: name === 'signals.create' ? { title: 'Orders', ...definition } : definition }
  }
  if (name === 'signals.update') return { path, body: { title: 'Purchases' } }
  if (name === 'signals.uploadConversions') return { path, body: { file_name: 'a.csv', content: csv } }
  if (name === 'signals.enable') {
    const destination = await makePlatform(organization, 'meta')
    const [signal] = await harness.db
      .selectFrom('signals')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    const body = { platforms: trialSignal(source, [destination]).platforms }
    await organization.administrator.call('PATCH', `/workspaces/${workspaceId}/signals/${signal?.id}`, body)
    return { path, body: {} }
  }
  if (name !== 'signals.disable') return undefined
  await harness.db
    .updateTable('signals')
    .set({ enabled: true, enable_time: new Date() })
    .where('workspace_id', '=', workspaceId)
    .execute()
  return { path, body: {} }
}
