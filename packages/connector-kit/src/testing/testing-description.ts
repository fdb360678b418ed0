import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import type {
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  EventOutcome,
  OutgoingEvent,
  OutgoingRow,
} from '../definition/definition.ts'
import { validateSettings } from '../definition/settings.ts'
import { defineDescribed, readDescription } from '../description/define-described.ts'
import {
  type TestedDescription,
  testedDescription,
  type VectorAnswer,
  type VectorEvent,
} from '../description/format/vectors.ts'
import type { Normalizations } from '../description/problems/description-problems.ts'
import { serverUrl } from '../description/requests/servers.ts'
import { templatesOf } from '../description/templates/render-tree.ts'
import { vectorEventOf, vectorGrant, vectorNow, vectorOutcomeOf, vectorTokens } from '../description/vector-parts.ts'
import { compileMappings } from '../mapping/compile.ts'
import { presetMappings } from '../mapping/presets.ts'
import { templatePaths } from '../templates/json-template.ts'
import { outgoingEvent, type PeerAnswer, runConnector, runConnectorRows } from './testing.ts'
import { type RowRunner, testDescribedRows } from './testing-described-rows.ts'
import { startVendor, testDestination, type VendorRequest } from './testing-destination.ts'

type Values = Readonly<Record<string, unknown>>

/** Returns events as the presets map them. */
const mapped = (
  definition: DestinationDefinition,
  events: readonly PipelineEvent[],
  settings: Values,
): OutgoingEvent[] => {
  const presets = definition.presets.map((preset) => {
    const { enabled: _, ...shown } = preset
    return shown
  })
  const shown = { ...definition, presets }
  const validated = validateSettings(definition, settings)
  const known = validated.ok ? { settings: validated.settings } : {}
  const map = compileMappings(definition, presetMappings(shown), { workspaceId: 'w', destinationId: 'd', ...known })
  return events.map((event) => {
    const made = map(event, 's', JSON.stringify(event))
    if (made.kind !== 'mapped') throw new Error(`${event.type} ${event.event}: ${JSON.stringify(made)}`)
    const { action, payload } = made
    return outgoingEvent(event, { action, ...(payload === undefined ? {} : { payload }) })
  })
}

const peerAnswer = ({ status, headers, body, text }: VectorAnswer): PeerAnswer => {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return { status, headers, ...(content === undefined ? {} : { body: content }) }
}

/** Returns the origins of all servers with these settings. */
const originsOf = ({ servers }: TestedDescription, settings: Values): string[] => [
  ...new Set(
    Object.values(servers).flatMap((server) => {
      if (typeof server !== 'string' && 'choices' in server) return Object.values(server.choices)
      return [new URL(serverUrl(server, settings as never)).origin]
    }),
  ),
]

const urlOf = ({ host, raw }: VendorRequest): string =>
  `https://${raw.url.slice(1).startsWith(host) ? raw.url.slice(1) : `${host}${raw.url}`}`

const shownRequest = (request: VendorRequest, names: readonly string[]) => ({
  method: request.method,
  url: urlOf(request),
  headers: Object.fromEntries(names.map((name) => [name, request.headers[name.toLowerCase()]])),
  body: request.body === '' ? undefined : request.body,
})

type Expected = TestedDescription['vectors']['requests'][number]['requests']

const expectRequests = (asked: readonly VendorRequest[], expected: Expected): void => {
  const shown = asked.map((request, at) => shownRequest(request, Object.keys(expected[at]?.headers ?? {})))
  expect(shown).toEqual(expected.map((request) => ({ body: undefined, ...request })))
}

const grantOf = ({ auth }: TestedDescription): Pick<DeliverContext, 'accessToken'> =>
  Object.values(auth).some((credentials) => credentials.some((credential) => credential.in === 'grant'))
    ? vectorGrant
    : {}

/** Starts a stand-in that gives these answers in order, and then the usual one. */
const startWith = async (whole: TestedDescription, own: Values, answers: readonly VectorAnswer[]) => {
  const settings = { ...whole.vectors.settings, ...own }
  let count = 0
  const { asked, rebase } = await startVendor({ origins: originsOf(whole, settings) }, () =>
    peerAnswer(answers[count++] ?? whole.vectors.accepts.answer),
  )
  return { settings, asked, options: { rebase, now: vectorNow, ...grantOf(whole) } }
}

/** Returns the events of a vector as the presets map them. */
const mappedVector = (
  { vectors }: TestedDescription,
  definition: DestinationDefinition,
  { events, settings = {} }: { events: readonly VectorEvent[]; settings?: Values },
): OutgoingEvent[] =>
  mapped(
    definition,
    events.map((event, at) => vectorEventOf(vectors.sample, event, at)),
    { ...vectors.settings, ...settings },
  )

/** Delivers the events of a vector. */
const runVector = async (
  whole: TestedDescription,
  definition: DestinationDefinition,
  vector: { events: readonly VectorEvent[]; answers: readonly VectorAnswer[]; settings?: Values },
) => {
  const { settings, asked, options } = await startWith(whole, vector.settings ?? {}, vector.answers)
  const outgoing = mappedVector(whole, definition, vector)
  const outcomes = await runConnector(definition, settings, outgoing, options).then(
    ({ outcomes: found }): EventOutcome[] =>
      'kind' in found
        ? outgoing.map(() => (found.kind === 'split' ? { kind: 'rejected', reason: found.reason } : found))
        : [...found],
    (error: unknown) => outgoing.map(() => vectorOutcomeOf(error)),
  )
  return { asked, outcomes, outgoing }
}

/** The tests that every destination passes, with the data of the vectors. */
const testLikeOthers = (whole: TestedDescription, definition: DestinationDefinition): void => {
  const { vectors, settings: described } = whole
  const [first] = vectors.requests.filter(({ settings }) => Object.keys(settings).length === 0)
  const bad = vectors.answers.find(({ shows }) => shows === 'bad_credentials')
  if (first === undefined || bad?.answers[0] === undefined) throw new Error('No vector shows the usual settings')
  const isSecret = (name: string): boolean => described[name]?.type === 'secret'
  const secrets = Object.entries(vectors.settings)
    .filter(([name]) => isSecret(name))
    .flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
  const wrongOf = (name: string, value: unknown): string =>
    typeof value === 'string' && value.startsWith('https://') ? `${new URL(value).origin}/wrong` : `wrong-${name}`
  const wrong = Object.fromEntries(
    Object.entries(vectors.settings).map(([name, value]) => [name, isSecret(name) ? wrongOf(name, value) : value]),
  )
  const { connects = vectors.accepts } = vectors
  const events = first.events.map((event, at) => vectorEventOf(vectors.sample, event, at))
  testDestination(definition, {
    origins: originsOf(whole, vectors.settings),
    settings: () => vectors.settings,
    secrets: definition.auth === 'oauth2' ? [...secrets, vectorTokens.first] : secrets,
    ...grantOf(whole),
    vendor: (request) => {
      const at = first.requests.findIndex(({ method, url }) => method === request.method && url === urlOf(request))
      if (at < 0) return peerAnswer(connects.answer)
      return peerAnswer(first.answers[at] ?? vectors.accepts.answer)
    },
    events: mapped(definition, events, vectors.settings),
    requests: first.requests.map(({ method, body }) => (body === undefined ? { method } : { method, body })),
    connected: whole.test.message,
    badCredentials: {
      settings: () => wrong,
      answer: peerAnswer(bad.answers[0]),
      message: bad.outcomes[0]?.reason ?? '',
    },
    ...(whole.limits.max_event_age_ms === undefined ? {} : { maxEventAgeMs: whole.limits.max_event_age_ms }),
  })
}

const testVectors = (whole: TestedDescription, definition: DestinationDefinition): void => {
  const { vectors } = whole
  it.each(vectors.requests.map((vector) => [vector.name, vector] as const))(
    'the vendor receives exactly the documented request: %s',
    async (_, vector) => {
      const { asked, outcomes } = await runVector(whole, definition, vector)
      expectRequests(asked, vector.requests)
      expect(outcomes).toEqual(vector.events.map(() => ({ kind: 'delivered' })))
    },
  )

  it.each(vectors.answers.map((vector) => [vector.name, vector] as const))(
    'the answers of the vendor become these outcomes: %s',
    async (_, vector) => {
      const { asked, outcomes } = await runVector(whole, definition, vector)
      // `ofEvent` says that others of the batch were delivered, which the outcomes show anyway.
      expect(outcomes.map((outcome) => ({ ...outcome, ofEvent: undefined }))).toEqual(
        vector.outcomes.map((outcome) => ({ ...outcome, ofEvent: undefined })),
      )
      if (vector.sent !== undefined) expect(asked).toHaveLength(vector.sent)
    },
  )

  const { deletion } = vectors
  if (deletion !== undefined)
    it('the vendor receives the documented request for the deletion of a person', async () => {
      const { settings, asked, options } = await startWith(whole, deletion.settings, deletion.answers)
      const { userIds, anonymousIds } = deletion
      const row = {
        operation: 'delete',
        object: 'users',
        json: JSON.stringify({ userIds, anonymousIds, externalIds: [] }),
      } as unknown as OutgoingRow
      const { outcomes } = await runConnectorRows(definition, settings, [row], options)
      expect([outcomes].flat()).toEqual([{ kind: 'delivered' }])
      expectRequests(asked, deletion.requests)
    })
}

const rowRunner = (whole: TestedDescription, definition: DestinationDefinition): RowRunner => {
  const withStandIn = async (
    { settings: own, answers }: { settings: Values; answers: readonly VectorAnswer[] },
    send: (settings: Values, options: Parameters<typeof runConnector>[3]) => Promise<DeliverResult>,
  ) => {
    const { settings, asked, options } = await startWith(whole, own, answers)
    const { outcomes } = await send(settings, options)
    return { outcomes: 'kind' in outcomes ? [] : outcomes, requests: asked.map((request) => shownRequest(request, [])) }
  }
  return {
    mapped: (vector) => mappedVector(whole, definition, vector),
    deliver: (events, given) =>
      withStandIn(given, (settings, options) => runConnector(definition, settings, events, options)),
    deliverRows: (rows, given) =>
      withStandIn(given, (settings, options) => runConnectorRows(definition, settings, rows, options)),
    shown: (requests) => requests.map(({ method, url, body }) => ({ method, url, headers: {}, body })),
  }
}

/** Checks that the vectors show what a listed destination must show. */
const testCoverage = (whole: TestedDescription, definition: DestinationDefinition): void => {
  const { vectors, actions, requests, deletion } = whole

  it('the vectors show every case of a listed destination', () => {
    const types = vectors.requests.flatMap(({ events }) => events.map(({ type = vectors.sample.type }) => type))
    const shown = new Set(vectors.answers.map(({ shows }) => shows))
    expect({
      track: types.includes('track') || types.includes(undefined),
      identify: types.includes('identify') || vectors.no_identify !== undefined,
      deletion: deletion === undefined || vectors.deletion !== undefined,
      cases: ['bad_credentials', 'rate_limit', 'refused_item', 'too_large'].filter((name) => !shown.has(name as never)),
    }).toEqual({ track: true, identify: true, deletion: true, cases: [] })
  })

  it('each preset has an event in the vectors, and each of its fields a value', () => {
    const events = vectors.requests.flatMap((vector) => mappedVector(whole, definition, vector))
    // The presets of one `event_names` count as one.
    const groups = Map.groupBy(definition.presets, (_, at) => whole.presets[at]?.group)
    const without = [...groups.values()].flatMap((group) => {
      const own = events.filter((event) =>
        group.some(
          ({ action, eventType, eventName }) =>
            event.action === action &&
            (eventType === undefined || event.type === eventType) &&
            (eventName === undefined || event.event === eventName),
        ),
      )
      const [first] = group
      if (first === undefined) return []
      const { action, eventType = '', eventName = '', fields } = first
      const name = `${action} ${eventType} ${eventName}`
      if (own.length === 0) return [name]
      return Object.keys(fields)
        .filter((field) => own.every(({ payload }) => payload?.[field] === undefined))
        .map((field) => `${name}: ${field}`)
    })
    expect(without).toEqual([])
  })

  it('each field of each action is part of a request', () => {
    const unread = Object.entries(actions).flatMap(([name, { fields, item, request }]) => {
      const { find, path = '', query = {}, headers = {}, body = null } = requests[request] ?? {}
      const inner = find === undefined ? [] : [requests[find.request], requests[find.otherwise ?? request]]
      const texts = [...templatesOf(item ?? null), ...templatesOf([path, query, headers, body])].concat(
        inner.flatMap((other) =>
          other === undefined ? [] : templatesOf([other.path, other.query, other.headers, other.body ?? null]),
        ),
      )
      const read = new Set(
        texts
          .flatMap((text) => text.split('/').flatMap((part) => [...templatePaths(text), ...templatePaths(part)]))
          .map(([first]) => first),
      )
      return Object.keys(fields).flatMap((field) => (read.has(field) ? [] : [`${name}.${field}`]))
    })
    expect(unread).toEqual([])
  })
}

/**
 * Defines the tests of a described destination from its own vectors: exact requests, outcomes of answers, the cases that
 * every listed destination shows, and the tests of `testDestination`.
 */
export const testDescription = (text: string, guide: string, normalizations: Normalizations = {}): void => {
  const whole = testedDescription.parse(JSON.parse(text))
  const definition = defineDescribed(readDescription(text, normalizations), guide, normalizations)
  describe(`the description of ${whole.title}`, () => {
    testVectors(whole, definition)
    testDescribedRows(whole, definition, rowRunner(whole, definition))
    testCoverage(whole, definition)
  })
  testLikeOthers(whole, definition)
}
