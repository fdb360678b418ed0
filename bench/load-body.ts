/**
 * A request whose message IDs can be changed in place: building a body for each request would take the generator more
 * time than the tested server needs for the request. An event has about 800 bytes.
 */
export type LoadRequest = {
  bytes: Buffer
  /** Writes the number (at most 12 digits) and the time (epoch ms, to a microsecond) into every message ID. */
  stamp(sequence: number, time: number): void
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0')
/** Number of digits of a time in microseconds. */
const timeDigits = 16
const stampOf = (sequence: number, time: number): string =>
  `${digits(sequence, 12)}.${digits(Math.round(time * 1000), timeDigits)}`
const idOf = (run: string, index: number, sequence: number, time: number): string =>
  `${run}.${digits(index, 3)}.${stampOf(sequence, time)}`

/** Returns the time of this machine in epoch ms, exact to a microsecond. All processes use the same clock. */
export const preciseTime = (): number => performance.timeOrigin + performance.now()

/** Returns the time in a message ID, in epoch ms; undefined if the ID is not from this generator and run. */
export const stampedTime = (messageId: string, run: string): number | undefined =>
  messageId.startsWith(`${run}.`) ? Number(messageId.slice(-timeDigits)) / 1000 : undefined

/** Returns one event as an SDK would send it, with about 800 bytes. */
export const sampleEvent = (messageId: string): Record<string, unknown> => ({
  type: 'track',
  event: 'Order Completed',
  messageId,
  userId: 'user-184467',
  anonymousId: 'c7f5b0d8-2a6e-4f0b-9d37-5f1c2b6a9e10',
  timestamp: '2026-01-15T10:20:30.123Z',
  sentAt: '2026-01-15T10:20:30.456Z',
  context: {
    library: { name: 'analytics-node', version: '2.1.0' },
    userAgent: 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    page: { path: '/checkout/done', url: 'https://shop.example.com/checkout/done', title: 'Thank you' },
    locale: 'en-GB',
    campaign: { source: 'newsletter', medium: 'email', name: 'spring' },
  },
  properties: {
    orderId: 'ord-20260115-0042',
    total: 129.9,
    currency: 'EUR',
    coupon: 'SPRING10',
    products: [
      { sku: 'sku-1', quantity: 2, price: 39.95 },
      { sku: 'sku-2', quantity: 1, price: 50 },
    ],
  },
  integrations: { All: true },
})

/** One of this number of events is an identify call, if the events belong to many users. */
const identifyEvery = 12
/** Number of digits of a user's number. */
export const personDigits = 6
const someone = digits(0, personDigits)

/** Creates an event of one of many users, whose number is inserted later. */
const personEvent = (messageId: string, index: number): Record<string, unknown> => {
  const { event, properties, ...common } = sampleEvent(messageId)
  const who = { ...common, userId: `person-${someone}`, anonymousId: `device-${someone}` }
  return index % identifyEvery === 0
    ? { ...who, type: 'identify', traits: { email: `person-${someone}@example.com`, plan: 'team', seats: 12 } }
    : { ...who, event, properties }
}

/** Returns the positions of every `text` in `bytes` after `from`. */
const placesOf = (bytes: Buffer, text: string): number[] => {
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at)
  return places
}

/**
 * Creates the request of one connection: a single call or a batch. With `people`, each event belongs to another one of
 * that number of users.
 */
export const createLoadRequest = (key: string, run: string, events: number, people = 0): LoadRequest => {
  const list = Array.from({ length: events }, (_, index) => {
    const id = idOf(run, index, 0, 0)
    return people === 0 ? sampleEvent(id) : personEvent(id, index)
  })
  const { type: _, ...single } = list[0] ?? {}
  const body = JSON.stringify(events === 1 ? single : { batch: list })
  const head = [
    `POST ${events === 1 ? '/v1/track' : '/v1/batch'} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const stampLength = 12 + 1 + timeDigits
  const places = list.map((_, index) => bytes.indexOf(idOf(run, index, 0, 0)) + `${run}.000.`.length)
  const persons = ['person-', 'device-'].flatMap((name) =>
    placesOf(bytes, `${name}${someone}`).map((place) => place + name.length),
  )
  // The message ID comes first in each event, so a position belongs to the event whose message ID comes last before it.
  const owners = persons.map((place) => places.findLastIndex((start) => start < place))
  return {
    bytes,
    stamp(sequence, time) {
      // Steps of a prime that is larger than the number of users reach all users, in an irregular order.
      for (const [n, place] of persons.entries())
        bytes.write(
          digits(((sequence * events + (owners[n] ?? 0)) * 999_983) % people, personDigits),
          place,
          personDigits,
          'latin1',
        )
      const stamp = stampOf(sequence, time)
      for (const place of places) bytes.write(stamp, place, stampLength, 'latin1')
    },
  }
}
