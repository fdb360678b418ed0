import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { eventually } from '../eventually.ts'
import { createDestination, createSource, createWebhook } from '../workspace.ts'
import { blackPng, openSocket, statusOfSocket } from './raw.ts'
import type { HostileWorld } from './world.ts'

/** The outcome of an attack: the response statuses, and the text of the responses. */
export type Outcome = { statuses: readonly number[]; said: string }

/** A kind of attack. `npm test` and `npm run bench -- hostile` run each; new ones are added here. */
export type Attack = {
  /** Describes the attack and the attacker in one line. */
  what: string
  /** Number of runs of the attack that run concurrently. */
  together: number
  /** The accepted response statuses. */
  answers: readonly number[]
  /** Matches the responses together: they say that the attack was cut off, and at which limit. */
  says: RegExp
  /** Creates the required objects once, and returns a function that runs the attack. */
  prepare(world: HostileWorld): Promise<() => Promise<Outcome>>
}

const outcomeOf = async (response: Response): Promise<Outcome> => ({
  statuses: [response.status],
  said: await response.text(),
})

const post = (world: HostileWorld, path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${world.origin}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** A call of the API with the attacker's session. */
const call = async (world: HostileWorld, method: string, path: string, body?: unknown): Promise<Outcome> => {
  const answer = await world.api.call(method, path, body)
  return { statuses: [answer.status], said: JSON.stringify(answer.body) }
}

/** A template with about ten thousand characters of conditions, in a loop of nine thousand iterations. */
const loops = `{% for i in (1..9000) %}{% if ${'1 and '.repeat(1600)}1 %}{% endif %}{% endfor %}{}`
const tooMuch = /too much|too long|too many|too large|limit/i
const refused = [400, 401, 403, 413, 429]
const objects = (bytes: number): string => `[${'{},'.repeat(Math.floor(bytes / 3) - 1)}{}]`
const MiB = 1024 * 1024

const bearer = ({ api }: HostileWorld): Record<string, string> => ({ authorization: `Bearer ${api.token}` })

/**
 * Requests objects that belong to another tenant, are of another kind, or are missing, all concurrently; each run also
 * sends one privacy request.
 */
const askForOthers = async (world: HostileWorld) => {
  const period = 'start_date.seconds=1767225600&end_date.seconds=1767312000'
  const request_id = randomUUID()
  const identifiers = [{ type: 'user_id', value: request_id }]
  const names = (kind: string): string[] => [
    `workspaces/${randomUUID()}/${kind}/${randomUUID()}`,
    `${world.workspace}/${kind}/${randomUUID()}`,
    world.user,
    'x',
  ]
  const paths = [
    ...names('signals').map((signal) => `signals:getAttribution?${period}&signal=${signal}`),
    ...names('signals').map((signal) => `signals:exportAttribution?${period}&signal=${signal}`),
    ...names('sources').map((source) => `connections?source=${source}`),
    ...names('sources').map((source) => `metrics?metric=events_received&${period}&source=${source}`),
    ...names('sources').map((source) => `writekeys?source=${source}`),
    ...names('profiles').map((profile) => `audiences/${randomUUID()}:explain?profile=${profile}`),
  ]
  return async (): Promise<Outcome> => {
    const asked = paths.map((path) => call(world, 'GET', `/${world.workspace}/${path}`))
    const body = { kind: 'delete_and_suppress', identifiers, request_id }
    const outcomes = await Promise.all([...asked, call(world, 'POST', `/${world.workspace}/privacyRequests`, body)])
    return {
      statuses: outcomes.flatMap(({ statuses }) => statuses),
      said: outcomes.map(({ said }) => said).join(' '),
    }
  }
}

/** Runs a mapping preview with these field mappings. */
const previewMapping = async (world: HostileWorld, field_mappings: readonly object[]) => {
  const destination = await createWebhook(world.api, world.workspace, world.source.source, {
    url: `${world.origin}/health`,
  })
  const event_mapping = { id: 'aaaa', destination: 'send', field_mappings }
  return () => call(world, 'POST', `/${destination}/mappings:preview`, { event_mapping, payload: '{"type":"track"}' })
}

const templateField = (id: string, value: string): object => ({
  id,
  source: { type: 'TEMPLATE', value },
  target: { name: id },
})

/** Previews a signal with ten platforms, each with one expensive field, for a hundred events. */
const previewSignal = async (world: HostileWorld) => {
  const { source, key } = await createSource(world.api, world.workspace, 'Orders')
  const batch = Array.from({ length: 100 }, (_, index) => ({ type: 'track', event: 'Order', userId: `u-${index}` }))
  await post(world, '/v1/batch', JSON.stringify({ batch }), { authorization: `Basic ${btoa(`${key}:`)}` })
  await eventually('the events are stored', async () => {
    const { events } = await world.api.ok('GET', `/${source}/events`)
    return (events as unknown[]).length > 0
  })
  const settings = { pixel_id: '123456789012345', access_token: 'token' }
  for (let index = 0; index < 10; index++)
    await createDestination(world.api, world.workspace, source, { app: 'meta-conversions', settings })
  type Option = { destination: string; field_mappings: { target: { name: string } }[] }
  const { platforms } = await world.api.ok('GET', `/${world.workspace}/signals:listPlatforms?conversion=lead`)
  const worked = ({ destination, field_mappings }: Option) => ({
    destination,
    field_mappings: field_mappings.map((each) =>
      ['em', 'ph', 'fn'].includes(each.target.name) ? { ...each, source: { type: 'TEMPLATE', value: loops } } : each,
    ),
  })
  const signal = {
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Order' }] },
    conversion: { type: 'lead' },
    value: { type: 'none' },
    event_id: { type: 'message_id' },
    platforms: (platforms as Option[]).map(worked),
    sample_size: 100,
  }
  return () => call(world, 'POST', `/${world.workspace}/signals:preview`, signal)
}

/** Delivers an event with an expensive mapping; reads the outcome from the delivery log. */
const deliverMapped = async (world: HostileWorld) => {
  const { source, key } = await createSource(world.api, world.workspace, 'Mapped')
  const destination = await createWebhook(world.api, world.workspace, source, { url: `${world.origin}/health` })
  const event_mappings = [{ id: 'aaaa', destination: 'send', field_mappings: [templateField('ffff', loops)] }]
  await world.api.ok('PUT', `/${destination}/mappings`, { event_mappings })
  let sent = 0
  return async (): Promise<Outcome> => {
    const headers = { authorization: `Basic ${btoa(`${key}:`)}` }
    const event = { event: 'Work', userId: 'u', messageId: `work-${++sent}` }
    const { status } = await post(world, '/v1/track', JSON.stringify(event), headers)
    const wanted = sent
    const said = await eventually(
      'the mapping to fail',
      async () => {
        const listed = await world.api.ok('GET', `/${destination}/deliveries`)
        const { dead, deliveries } = listed as { dead: { event_count: number }; deliveries: { reason: string }[] }
        return dead.event_count >= wanted && deliveries.length > 0 && deliveries.map(({ reason }) => reason).join()
      },
      120_000,
    )
    return { statuses: [status], said }
  }
}

/**
 * Opens connections without a key that send all but the last byte of four megabytes, and checks that the victim is
 * still served.
 */
const stall = (world: HostileWorld) => async (): Promise<Outcome> => {
  const body = Buffer.alloc(4 * MiB - 1, 0x20)
  const head = `POST /v1/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`
  const sockets = await Promise.all(Array.from({ length: 64 }, () => openSocket(world.origin, head)))
  try {
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve())
            socket.write(body, () => resolve())
          }),
      ),
    )
    const served = await post(world, '/v1/track', '{"event":"Order","userId":"u"}', {
      authorization: `Basic ${btoa(`${world.victimKey}:`)}`,
    })
    return await outcomeOf(served)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

const connectSockets = async (world: HostileWorld) => {
  const { key } = await world.api.ok('GET', '/realtime:config')
  const upgrade = `GET /app/${String(key)}?protocol=7 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
  return async (): Promise<Outcome> => {
    const sockets = await Promise.all(Array.from({ length: 1200 }, () => openSocket(world.origin, upgrade)))
    const answers: string[] = []
    for (const socket of sockets) socket.on('data', (data: Buffer) => answers.push(data.toString('latin1')))
    const statuses = await Promise.all(sockets.map(statusOfSocket))
    await eventually(
      'requests beyond the limit are refused',
      () => answers.some((text) => tooMuch.test(text)),
      10_000,
    ).catch(() => {})
    for (const socket of sockets) socket.destroy()
    return { statuses: [...new Set(statuses)], said: answers.find((text) => tooMuch.test(text)) ?? '' }
  }
}

const explore = (query: string) => async (world: HostileWorld) => () =>
  call(world, 'GET', `/${world.workspace}/events?page_size=1000&${query}`)

/** Asks for certificates of unknown names, and checks that the victim is still served. */
const askForCertificates = async (world: HostileWorld): Promise<Outcome> => {
  const asked = Array.from({ length: 500 }, async (_, index) => {
    const name = `${'a.'.repeat(3000)}${index}.example`
    return outcomeOf(await fetch(`${world.origin}/domains/ask?domain=${name}`))
  })
  const served = outcomeOf(
    await post(world, '/v1/track', '{"event":"Order","userId":"u"}', {
      authorization: `Basic ${btoa(`${world.victimKey}:`)}`,
    }),
  )
  const outcomes = [...(await Promise.all(asked)), await served]
  return {
    statuses: [...new Set(outcomes.flatMap(({ statuses }) => statuses))],
    said: [...new Set(outcomes.map(({ said }) => said))].join(' '),
  }
}

/** Previews a missing row in a file of a million rows, which is read again each time. */
const searchRow = async (world: HostileWorld) => {
  const { api, workspace, origin, source } = world
  const made = { title: 'Rows', app: { name: 'catalogDataSources/file' }, settings: {} }
  const { name: data_source } = await api.ok('POST', `/${workspace}/dataSources`, made)
  const rows = Buffer.from(`id\n${Array.from({ length: 1_000_001 }, (_, index) => `k${index}`).join('\n')}\n`)
  const file = { upload_id: randomUUID(), file_name: 'rows.csv' }
  for (let offset = 0; offset < rows.length; offset += 3 * MiB) {
    const part = rows.subarray(offset, offset + 3 * MiB)
    const last = offset + part.length === rows.length
    await api.ok('POST', `/${String(data_source)}/uploads`, { ...file, offset, content: part.toString('base64'), last })
  }
  const { tables } = (await api.ok('GET', `/${String(data_source)}/tables`)) as {
    tables: { schema: string; name: string }[]
  }
  const query = { schema: tables[0]?.schema, table: tables[0]?.name }
  const model = { title: 'Rows', data_source, query, primary_key: ['id'] }
  const trial = {
    model: (await api.ok('POST', `/${workspace}/models`, model)).name,
    destination: await createWebhook(api, workspace, source.source, { url: `${origin}/health` }),
    object: 'records',
    object_name: 'rows',
    mode: 'UPSERT_ONLY',
    identifier: 'id',
    fields: [{ column: 'id', target: 'id' }],
    key: ['none'],
  }
  return () => call(world, 'POST', `/${workspace}/syncs:previewRow`, trial)
}

/** Runs connection tests that never end until their sender disconnects, and checks that the victim is still served. */
const hangTests = async (world: HostileWorld) => {
  const destination = await createWebhook(world.api, world.workspace, world.source.source, {
    url: `http://127.0.0.1:${world.silentPort}/`,
  })
  return async (): Promise<Outcome> => {
    const leaving = new AbortController()
    const outcomes: Outcome[] = []
    const headers = { 'content-type': 'application/json', ...bearer(world) }
    const asked = Array.from({ length: 605 }, () =>
      fetch(`${world.origin}/api/${destination}:testConnection`, {
        method: 'POST',
        headers,
        body: '{}',
        signal: leaving.signal,
      }).then(
        async (answer) => outcomes.push(await outcomeOf(answer)),
        () => {},
      ),
    )
    await eventually('requests beyond the limit are refused', () => outcomes.length > 400)
    const served = await post(world, '/v1/track', '{"event":"Order","userId":"u"}', {
      authorization: `Basic ${btoa(`${world.victimKey}:`)}`,
    })
    leaving.abort()
    await Promise.all(asked)
    const statuses = [...new Set([served.status, ...outcomes.map(({ statuses: [status = 0] }) => status)])]
    return { statuses, said: `${await served.text()} ${outcomes.at(-1)?.said}` }
  }
}

/** An audience with many conditions, all of which every user meets. */
const broadAudience = (conditions: number): object => ({
  groups: {
    aaaa: {
      segments: Array.from({ length: conditions }, (_, index) => ({
        id: `s${String(index).padStart(3, '0')}`,
        queries: [
          {
            id: `q${String(index).padStart(3, '0')}`,
            type: 'event',
            selectedEvent: 'Order',
            timeframe: { time: { unit: 'day', value: 1 + index } },
            count: { operator: 'at_most', value: 1000 },
          },
        ],
      })),
    },
  },
})

/** Previews a mapping whose condition compares a text that is almost a number. */
const compareNumbers = async (world: HostileWorld) => {
  const destination = await createWebhook(world.api, world.workspace, world.source.source, {
    url: `${world.origin}/health`,
  })
  const conditions = ['a', 'b', 'c', 'd'].map((name) => ({
    path: `properties.${name}`,
    operator: 'greater_than',
    value: '1',
  }))
  const event_mapping = {
    id: 'aaaa',
    destination: 'send',
    filters: conditions,
    filter_match: 'any',
    field_mappings: [],
  }
  const number = `${'1'.repeat(7000)}x`
  const payload = JSON.stringify({ type: 'track', properties: { a: number, b: number, c: number, d: number } })
  return () => call(world, 'POST', `/${destination}/mappings:preview`, { event_mapping, payload })
}

/** Sends events with identifiers that are almost blocked ones. */
const identify = (world: HostileWorld) => async (): Promise<Outcome> => {
  const headers = { authorization: `Basic ${btoa(`${world.source.key}:`)}` }
  const ids = [' '.repeat(31_000), `${'\t'.repeat(15_000)}x`, `${'0'.repeat(31_000)}x`, `a@${'.a'.repeat(15_000)} @`]
  const answers = await Promise.all(
    ids.map(async (userId) =>
      outcomeOf(await post(world, '/v1/track', JSON.stringify({ event: 'Order', userId }), headers)),
    ),
  )
  return { statuses: answers.flatMap(({ statuses }) => statuses), said: answers.map(({ said }) => said).join(' ') }
}

/** The permanent list of attacks. */
export const attacks: readonly Attack[] = [
  {
    what: 'a template of 9,000 times 1,600 conditions in a preview, by an editor',
    together: 2,
    answers: [200, ...refused],
    says: tooMuch,
    prepare: async (world) => () =>
      call(world, 'POST', `/${world.source.source}:previewTemplate`, { template: loops, body: '{}' }),
  },
  {
    what: 'the same template in a webhook source, called by anybody who has its address',
    together: 6,
    answers: refused,
    says: tooMuch,
    async prepare(world) {
      const { source, key } = await createSource(world.api, world.workspace, 'Template', 'webhook')
      await world.api.ok('POST', `/${source}/app:updateSetting`, { name: 'template', value: loops })
      return async () => outcomeOf(await post(world, `/v1/webhook?writeKey=${key}`, '{}'))
    },
  },
  {
    what: 'the same template in a preview of a mapping, by an editor',
    together: 2,
    answers: [200, ...refused],
    says: tooMuch,
    prepare: (world) => previewMapping(world, [templateField('ffff', loops)]),
  },
  {
    what: 'a mapping of ten fields with that template each, in a preview, by an editor',
    together: 2,
    answers: [200, ...refused],
    says: tooMuch,
    prepare: (world) =>
      previewMapping(
        world,
        Array.from({ length: 10 }, (_, index) => templateField(`fff${index}`, loops)),
      ),
  },
  {
    what: 'the same template in the mapping of a destination, for each event that is sent',
    together: 3,
    answers: [200],
    says: tooMuch,
    prepare: deliverMapped,
  },
  {
    what: 'the same template in three fields of each of ten platforms, in the preview of a signal, by an editor',
    together: 2,
    answers: [200, ...refused],
    says: /"conversion_count":|more time than their share|take too long for a preview/,
    prepare: previewSignal,
  },
  {
    what: 'four megabytes of empty objects to a picture, without a token',
    together: 4,
    answers: refused,
    says: /token|sign in/i,
    prepare: async (world) => async () =>
      outcomeOf(await post(world, `/api/${world.user}:uploadPhoto`, objects(2.7 * MiB))),
  },
  {
    what: 'four megabytes of empty objects to a picture, with a token',
    together: 2,
    answers: refused,
    says: /large|many|deep|must|content|limit|expected/i,
    prepare: async (world) => async () =>
      outcomeOf(await post(world, `/api/${world.user}:uploadPhoto`, objects(2.7 * MiB), bearer(world))),
  },
  {
    what: 'a megabyte of empty objects to the sign-in, by anybody',
    together: 8,
    answers: refused,
    says: /large|many|must|object|limit|expected|required/i,
    prepare: async (world) => async () => outcomeOf(await post(world, '/api/users:login', objects(0.9 * MiB))),
  },
  {
    what: 'a megabyte of brackets to the sign-in, by anybody',
    together: 8,
    answers: refused,
    says: /large|deep|many|must|object|limit|expected|required|JSON/i,
    prepare: async (world) => async () =>
      outcomeOf(await post(world, '/api/users:login', '['.repeat(0.4 * MiB) + ']'.repeat(0.4 * MiB))),
  },
  {
    what: 'a picture of four million equal signs and a letter, with a token',
    together: 2,
    answers: refused,
    says: /base64|2MB/,
    prepare: async (world) => {
      const body = JSON.stringify({ content: `${'='.repeat(4_000_000)}A` })
      return async () => outcomeOf(await post(world, `/api/${world.user}:uploadPhoto`, body, bearer(world)))
    },
  },
  {
    what: 'forty addresses of 15,000 ampersands, without a token',
    together: 40,
    answers: refused,
    says: /token|sign in|many/i,
    prepare: async (world) => async () =>
      outcomeOf(await fetch(`${world.origin}/api/workspaces?${'&'.repeat(15_000)}`)),
  },
  {
    what: 'forty addresses of half an API key 4,000 times, without a token',
    together: 40,
    answers: refused,
    says: /token|sign in|many/i,
    prepare: async (world) => async () =>
      outcomeOf(await fetch(`${world.origin}/api/workspaces?${'&api'.repeat(3500)}`)),
  },
  {
    what: 'numbers of 7,000 digits and a letter in the conditions of a mapping, in a preview, by an editor',
    together: 8,
    answers: [200, ...refused],
    says: /./,
    prepare: compareNumbers,
  },
  {
    what: 'events of people whose IDs are 31,000 spaces, tabs, zeros, or dots',
    together: 8,
    answers: [200, ...refused],
    says: /success/,
    prepare: async (world) => identify(world),
  },
  {
    what: '64 connections without a key that send four megabytes but for the last byte, and wait',
    together: 1,
    answers: [200],
    says: /success/,
    prepare: async (world) => stall(world),
  },
  {
    what: '100 compressed bodies of 4 kB that become 4 MB each, without a key',
    together: 1,
    answers: [401, 413, 429, 503],
    says: /key|large|many/i,
    prepare: async (world) => async () => {
      const body = gzipSync(`{"batch":[${' '.repeat(4 * MiB - 20)}]}`)
      const headers = { 'content-encoding': 'gzip' }
      const answers = await Promise.all(
        Array.from({ length: 100 }, async () => outcomeOf(await post(world, '/v1/batch', body, headers))),
      )
      return {
        statuses: [...new Set(answers.flatMap(({ statuses }) => statuses))],
        said: answers.map(({ said }) => said).join('\n'),
      }
    },
  },
  {
    what: 'a PostgreSQL destination whose server announces a row of two gigabytes, tested by an editor',
    together: 1,
    answers: [200],
    says: /large|more than|limit|bytes/i,
    async prepare(world) {
      const settings = {
        host: '127.0.0.1',
        port: world.postgresPort,
        database: 'd',
        user: 'u',
        password: 'p',
        schema: 's',
        tls: 'off',
      }
      const made = { app: 'postgresql', settings, title: 'Endless' }
      const destination = await createDestination(world.api, world.workspace, world.source.source, made)
      return () => call(world, 'POST', `/${destination}:testConnection`, {})
    },
  },
  {
    what: 'a picture of 25,000,000 × 1 points, by anybody who is signed in',
    together: 1,
    answers: [400],
    says: /large|pixels|wide|side|dimension/i,
    prepare: async (world) => {
      const body = JSON.stringify({ content: blackPng(25_000_000, 1).toString('base64') })
      return async () => outcomeOf(await post(world, `/api/${world.user}:uploadPhoto`, body, bearer(world)))
    },
  },
  {
    what: 'pages of the event explorer by a property that no event has, twenty at a time',
    together: 20,
    answers: [200, 429],
    says: /events|many/,
    prepare: explore(`property=${'x'.repeat(200)}&property_value=${'y'.repeat(500)}`),
  },
  {
    what: 'pages of the event explorer by a part of a name that is all wildcards, twenty at a time',
    together: 20,
    answers: [200, 429],
    says: /events|many/,
    prepare: explore(`search=${encodeURIComponent('%_'.repeat(100))}`),
  },
  {
    what: 'a draft of a schema of half a megabyte, a thousand events with names in each other, by an editor',
    together: 4,
    answers: [200, ...refused],
    says: /./,
    prepare: async (world) => {
      const property = (depth: number): object =>
        depth === 0 ? { type: 'string' } : { type: 'object', properties: { p: property(depth - 1) } }
      const events = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`E${index}`, { properties: { p: property(12) } }]),
      )
      const schema = JSON.stringify({ events }).slice(0, 511 * 1024)
      return () => call(world, 'PATCH', `/${world.source.source}`, { schema })
    },
  },
  {
    what: '1,200 connections to the live channel from one address',
    together: 1,
    answers: [101, 429, 503],
    says: tooMuch,
    prepare: connectSockets,
  },
  {
    what: '500 questions about certificates for names of 6,000 letters each, by anybody',
    together: 2,
    // The status 200 is that of the victim's event, which must still be accepted.
    answers: [200, 403],
    says: /Only a trusted proxy can ask this[^{]*\{"success":true\}/,
    prepare: async (world) => () => askForCertificates(world),
  },
  {
    what: '605 tests of a connection to a server that never answers, at a time, by an editor',
    together: 1,
    answers: [200, 429],
    says: /\{"success":true\} .*Too many calls/,
    prepare: hangTests,
  },
  {
    what: 'the preview of an audience of 90 conditions that everybody meets, eight at a time, by an editor',
    together: 8,
    answers: [200, 429],
    says: /"size":|Too many|too many/,
    prepare: async (world) => () =>
      call(world, 'POST', `/${world.workspace}/audiences:preview`, { query: broadAudience(90) }),
  },
  {
    what: 'the preview of a row of a sync that is none of a million, eight at a time, by an editor',
    together: 8,
    answers: [200, 400, 429],
    says: /None of the first 1,000,000 rows|many|longer than|in time|took/i,
    prepare: searchRow,
  },
  {
    what: 'references of other tenants, of other kinds, and to nothing, and one privacy request again and again, by an administrator',
    together: 8,
    answers: [200, 400, 404, 429],
    says: /not found|Must be a name|too many/i,
    prepare: askForOthers,
  },
  {
    what: 'searches of the documentation with a mistake in each word, by anybody',
    together: 8,
    answers: [200],
    says: /"results":/,
    prepare: async (world) => async () =>
      outcomeOf(
        await fetch(
          `${world.origin}/docs/search.json?q=${'replai+evnt+destnation+sorce+shema+mapng+delivry+retri+'.repeat(40)}`,
        ),
      ),
  },
]
