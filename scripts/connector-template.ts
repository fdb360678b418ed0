import { identifierOf } from './connector-catalog.ts'

/** Returns a title for a slug: `google-sheets` becomes `Google Sheets`. */
export const titleOf = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

/** The logo of a new destination, which is to be drawn. */
export const logoFile = `<!-- TODO: draw a logo of simple shapes; no copied artwork. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#56606b"/></svg>
`

const definitionFile = (
  slug: string,
  name: string,
  title: string,
): string => `import { defineDestination } from '@tributary/connector-kit'
import { send } from './actions/send.ts'
import { deliver, testConnection } from './deliver.ts'
import { settings } from './settings.ts'

// TODO: name the vendor's page that the limits of batching and rate come from; leave rate out where there is none.
export const ${name} = defineDestination({
  slug: '${slug}',
  title: '${title}',
  category: 'Automation',
  description: 'TODO: say in one sentence what it is for.',
  docs: {
    // TODO: the vendor's page about the API that is used.
    url: 'https://todo.example/',
    steps: [
      { title: 'Get a key', text: 'TODO: say where it is made and what it must be allowed to do.' },
      { title: 'Know what happens to the events', text: 'TODO: say what is sent, and what is refused.' },
    ],
  },
  settings,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'TODO: say what there is more of, or what changes, at the vendor.',
      // TODO: what deliver carries out; for a mode that matches what is there, identifiers say by what.
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send'],
    },
  ],
  actions: [send],
  presets: [{ eventType: 'track', action: 'send', fields: { event: { type: 'FIELD', name: 'event' } } }],
  batching: () => ({ maxEvents: 100, maxBytes: 500_000, maxWaitMs: 1000 }),
  rate: () => ({ requests: 10, perMs: 1000 }),
  testConnection,
  deliver,
})
`

const actionFile = `import { defineAction } from '@tributary/connector-kit'

export const send = defineAction({
  name: 'send',
  title: 'Send event',
  description: 'TODO: say what it does with an event.',
  customTargets: true,
  fields: {
    event: {
      label: 'Event name',
      help: 'TODO: say what the vendor does with it; add the other fields it takes.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
  },
})
`

const settingsFile = `import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  api_key: setting.secret({
    label: 'API key',
    help: 'TODO: say where it is found. Stored encrypted.',
    required: true,
    maxLength: 500,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
  endpoint: setting.url({
    label: 'Endpoint',
    help: 'TODO: say who has to change it; replace it by a choice of regions, or leave it out.',
    required: true,
    default: 'https://todo.example/v1/events',
  }),
})

export type Settings = SettingsOf<typeof settings>
`

const deliverFile = (title: string): string => `import {
  type Call,
  ConfigurationError,
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  isWebPage,
  type OutgoingEvent,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
  testOf,
} from '@tributary/connector-kit'
import { send } from './actions/send.ts'
import type { Settings } from './settings.ts'

/** TODO: how the vendor wants to be asked. */
const post = ({ settings, ...context }: DeliverContext<Settings>, events: readonly unknown[]): Promise<Call> => {
  const { api_key: key, endpoint: url } = settings
  return sendRequest(
    context,
    {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tributary/1.0',
        authorization: \`Bearer \${key}\`,
      },
      body: JSON.stringify({ events }),
    },
    { headers: ['authorization'], texts: [key] },
  )
}

/** What a person has to mend, in words for people; undefined where nothing is wrong. */
const setUpProblem = ({ answer }: Call): string | undefined => {
  if (answer.status === 401 || answer.status === 403) return \`${title} refuses the key (HTTP \${answer.status})\`
  return answer.status < 300 && isWebPage(answer) ? 'A web page came in place of an answer' : undefined
}

/**
 * Sends a batch in one request. 2xx: delivered. 408, 429, 5xx, no answer: tried again, after \`Retry-After\` when given.
 * A key that is refused holds the events. Anything else: refused for good.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: DeliverContext<Settings>): Promise<DeliverResult> => {
  const call = await post(
    context,
    batch.map((event) => ({ ...send.customOf(event), ...send.payloadOf(event) })),
  )
  const problem = setUpProblem(call)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  // TODO: tell the events apart that the vendor refuses within a batch it takes: one outcome for each.
  return resultOfCall(call, outcomeOfAnswer(call.answer, context.clock()))
}

/** TODO: ask something that needs the key and changes nothing. */
export const testConnection = (context: DeliverContext<Settings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await post(context, [])
    const problem = setUpProblem(call)
    if (problem !== undefined) return { ok: false, message: problem }
    if (call.answer.status === 429 || call.answer.status >= 500)
      return { ok: false, message: \`${title} cannot take events now (HTTP \${call.answer.status})\` }
    return { ok: true, message: '${title} takes the key.' }
  })
`

const testFile = (
  slug: string,
  name: string,
  title: string,
): string => `import { outgoingEvent } from '@tributary/connector-kit/testing'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { ${name} } from './definition.ts'

const key = '${slug}-key-1'

const events = ['Order Completed', 'Order Refunded'].map((event) =>
  outgoingEvent({ messageId: event, event }, { payload: { event }, action: 'send' }),
)

// TODO: partialFailure and oversize, where the vendor documents them.
testDestination(${name}, {
  settings: (endpoint) => ({ api_key: key, endpoint }),
  secrets: [key],
  // TODO: refuse what the vendor refuses, and name the page that says so.
  vendor: ({ headers }) =>
    headers.authorization === \`Bearer \${key}\` ? { status: 200, body: '{}' } : { status: 401, body: 'who is it?' },
  events,
  // TODO: the request of the vendor’s example.
  requests: [{ method: 'POST', body: { events: [{ event: 'Order Completed' }, { event: 'Order Refunded' }] } }],
  connected: '${title} takes the key.',
  badCredentials: {
    settings: (endpoint) => ({ api_key: 'a-wrong-key', endpoint }),
    message: '${title} refuses the key (HTTP 401)',
  },
})
`

/**
 * Returns the files of a new destination, by their path in its folder. Parts that a developer must write are marked
 * TODO.
 */
export const connectorFiles = (slug: string): Readonly<Record<string, string>> => {
  const name = identifierOf(slug)
  const title = titleOf(slug)
  return {
    'actions/send.ts': actionFile,
    'definition.ts': definitionFile(slug, name, title),
    'deliver.ts': deliverFile(title),
    'logo.svg': logoFile,
    'settings.ts': settingsFile,
    [`${slug}.test.ts`]: testFile(slug, name, title),
  }
}
