import {
  type ActionTarget,
  type DeliverContext,
  type DestinationDefinition,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
  testOf,
} from '@tributary/connector-kit'
import { type EventMapping, eventMappings, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { type Harness, idIn, listed, type Organization, testCatalog, testDestination } from './control-harness.ts'

const target = (name: string, label: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label,
  help: `${label} of the order`,
  type: 'string',
  required: false,
  recommended: false,
  kind: 'property',
  ...more,
})

const post = ({ settings, ...context }: DeliverContext, method: 'GET' | 'POST', body?: string) => {
  const { url, signing_secret: secret } = settings
  if (typeof url !== 'string' || typeof secret !== 'string') throw new Error('settings are missing')
  const headers = { authorization: `Bearer ${secret}` }
  const request = { method, url, headers, ...(body === undefined ? {} : { body }) }
  return sendRequest(context, request, { headers: ['authorization'] })
}

/**
 * A test destination with two actions. One has required, hashed, and recommended fields; the other sends complete
 * events.
 */
export const mappedDestination: DestinationDefinition = {
  ...testDestination,
  slug: 'mapped',
  title: 'Mapped',
  auth: 'key',
  objects: [
    {
      name: 'purchases',
      title: 'Purchases',
      description: 'One for each address, written over by the next.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'user.em' }, { setting: 'url' }, { event: 'userId' }],
      actions: ['purchase'],
    },
    ...testDestination.objects,
  ],
  actions: [
    {
      name: 'purchase',
      title: 'Report purchase',
      description: 'Reports a purchase.',
      targets: [
        target('user.em', 'Email', { required: true, pii: 'email', kind: 'identity' }),
        target('value', 'Value', { required: true, type: 'number' }),
        target('currency', 'Currency', { recommended: true }),
        target('event_source_url', 'Page'),
        target('items', 'Items', { type: 'array' }),
      ],
      customTargets: false,
      wholeEvent: false,
      eventTypes: ['track'],
    },
    ...testDestination.actions,
  ],
  presets: [
    {
      action: 'purchase',
      eventName: 'Order Completed',
      eventType: 'track',
      fields: {
        'user.em': { type: 'FIELD', name: 'context.traits.email' },
        value: { type: 'FIELD', name: 'properties.total' },
        currency: { type: 'CONSTANT', value: 'EUR' },
      },
    },
  ],
  testConnection: (context) =>
    testOf(async () => {
      const { answer } = await post(context, 'GET')
      return { ok: answer.status === 200, message: `HTTP ${answer.status}: ${answer.body}` }
    }),
  deliver: async ([event], context) => {
    const call = await post(context, 'POST', JSON.stringify(event?.payload ?? JSON.parse(event?.json ?? '{}')))
    return resultOfCall(call, outcomeOfAnswer(call.answer, context.clock()))
  },
}

export const mappedCatalog = { ...testCatalog, destinations: listed(testDestination, mappedDestination) }

export const secretOfMapped = 'hush-hush-secret'

/**
 * Makes a destination of the kind `mappedDestination` that is connected to a source. The result can store events of
 * this source.
 */
export const startMapped = async (harness: Harness, organization: Organization, url = 'https://receiver.example/') => {
  const { administrator, workspaceId } = organization
  const workspace = { workspace: workspaceId }
  const source = await administrator.ok(methods.sources.create, workspace, {
    body: { title: 'Shop', app: { name: 'catalogSources/http' } },
  })
  const destination = await administrator.ok(methods.destinations.create, workspace, {
    body: {
      title: 'Receiver',
      app: { name: 'catalogDestinations/mapped' },
      settings: { url, signing_secret: secretOfMapped },
    },
  })
  const connection = await administrator.ok(methods.connections.create, workspace, {
    body: { source: source.name, destination: destination.name },
  })
  const sourceId = idIn(source.name)
  let count = 0
  return {
    source,
    destination,
    connection,
    sourceId,
    destinationId: idIn(destination.name),
    params: { workspace: workspaceId, destination: idIn(destination.name) },
    path: (verb = ''): string => `/${destination.name}/mappings${verb}`,
    /** Stores events of the source, each newer than the previous one. Returns their resource names. */
    async store(events: readonly Record<string, unknown>[], columns: object = {}): Promise<string[]> {
      const rows = events.map((event) => ({
        workspace_id: workspaceId,
        source_id: sourceId,
        event_id: `0-${sourceId}-${String(count).padStart(6, '0')}`,
        message_id: `message-${count}`,
        type: event['type'] ?? 'track',
        event: event['event'] ?? '',
        user_id: event['userId'] ?? '',
        status: 'accepted',
        receive_time: harness.now() - 60_000 + count++,
        timestamp: harness.now() - 60_000,
        context: JSON.stringify(event['context'] ?? {}),
        original: JSON.stringify(event),
        ...columns,
      }))
      await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
      return rows.map((row) => `workspaces/${workspaceId}/events/${row.event_id}`)
    },
  }
}

/** Parses mappings in the form of a request, and fills in defaults. */
export const mappingsOf = (...given: object[]): EventMapping[] => eventMappings.parse(given)

/** Makes a mapping to the action `purchase`, with these sources by target. */
export const purchase = (fields: Record<string, object>, more: object = {}): EventMapping => {
  const [mapping] = mappingsOf({
    id: 'buy0',
    event_name: 'Order Completed',
    destination: 'purchase',
    field_mappings: Object.entries(fields).map(([name, source], index) => ({
      id: `f00${index}`,
      source,
      target: { name },
    })),
    ...more,
  })
  if (mapping === undefined) throw new Error('no mapping')
  return mapping
}

export const field = (name: string): object => ({ type: 'FIELD', name })
