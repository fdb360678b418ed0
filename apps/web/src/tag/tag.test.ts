// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTag, type Tag, type TagConfig } from './tag.ts'

type Sent = { url: string; body: Record<string, unknown> }
type SentEvent = {
  type: string
  event?: string
  messageId: string
  anonymousId: string
  userId?: string
  context: Record<string, unknown> & { page: { url: string; search: string } }
}

const config: TagConfig = { key: 'k 1', origin: 'https://events.shop.example', consent: 'granted' }
let sent: Sent[]
/** The server's response, or 'down'. */
let answer: () => Response
/** Whether the server sets the requested cookies, as it does for pages of its own site. */
let sets: boolean

const listening: (() => void)[] = []

beforeEach(() => {
  sent = []
  sets = true
  answer = () => Response.json({ success: true })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    sent.push({ url, body: JSON.parse(body) })
    const answered = answer()
    if (url.endsWith('/cookies') && answered.ok && sets)
      for (const [name, value] of Object.entries<string>(JSON.parse(body))) document.cookie = `${name}=${value};path=/`
    return answered
  })
  vi.stubGlobal('navigator', {
    userAgent: 'Test',
    language: 'de-DE',
    sendBeacon: vi.fn((url: string, body: string) => sent.push({ url, body: JSON.parse(body) }) > 0),
  })
})

afterEach(() => {
  for (const end of listening.splice(0)) end()
  Reflect.deleteProperty(window, 'tributary')
  visit('https://www.shop.example/')
  for (const part of document.cookie.split('; '))
    for (const domain of ['', ';domain=shop.example', ';domain=www.shop.example'])
      document.cookie = `${part.split('=')[0]}=;path=/;expires=Thu, 01 Jan 1970 00:00:00 GMT${domain}`
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const visit = (address: string): void =>
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(address)

/** Opens a page with the tag, as after a load of the page. */
const open = (address: string, given: Partial<TagConfig> = {}): Tag => {
  visit(address)
  Reflect.deleteProperty(window, 'tributary')
  const add = window.addEventListener.bind(window)
  const spy = vi.spyOn(window, 'addEventListener').mockImplementation((name: string, listener: unknown) => {
    add(name, listener as EventListener)
    listening.push(() => window.removeEventListener(name, listener as EventListener))
  })
  startTag({ ...config, ...given })
  spy.mockRestore()
  return window.tributary as unknown as Tag
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await vi.advanceTimersByTimeAsync(1000)
}
const events = (): SentEvent[] =>
  sent.filter(({ url }) => url.includes('/v1/b')).flatMap(({ body }) => body['batch'] as SentEvent[])
const asked = (): Record<string, unknown>[] =>
  sent.filter(({ url }) => url.endsWith('/cookies')).map(({ body }) => body)

test('AMB-72: with consent, click IDs of the landing page are in later events of other pages, with consent and browser IDs', async () => {
  visit('https://www.shop.example/')
  document.cookie = '_ga=GA1.1.1234.5678;path=/'
  document.cookie = '_ttp=01ABC;path=/'
  const landed = open('https://www.shop.example/?gclid=EAIaIQ&fbclid=IwAR2&utm_source=google')
  landed.page()
  await settle()
  const [first] = events()
  open('https://www.shop.example/thanks').track('Order Completed', { value: 59.9 })
  await settle()
  const [, order] = events()
  expect(order).toMatchObject({
    type: 'track',
    event: 'Order Completed',
    anonymousId: first?.anonymousId,
    properties: { value: 59.9 },
    context: {
      campaign: { source: 'google' },
      clickIds: { gclid: 'EAIaIQ', fbclid: 'IwAR2' },
      clickTimes: { gclid: expect.stringMatching(/^20/) },
      browserIds: {
        fbp: expect.stringMatching(/^fb\.1\.\d{13}\.\d+$/),
        fbc: expect.stringMatching(/^fb\.1\.\d{13}\.IwAR2$/),
        ttp: '01ABC',
        ga: '1234.5678',
      },
      consent: { categoryPreferences: { advertising: true } },
      library: { name: 'tributary-tag' },
    },
  })
})

// The second number of `_ga` counts the parts of the domain; with a cookie path, the parts of the path follow it
// (newbetuts.com, "What are the values in _ga cookie?").
test.each([
  ['GA1.1.1197596843.1673515099', '1197596843.1673515099'],
  ['GA1.2.286403989.1366364567', '286403989.1366364567'],
  ['GA1.4-2.286403989.1366364567', '286403989.1366364567'],
  ['GA1.1.amp-Ab12', undefined],
  ['GA1.4-2-3.286403989.1366364567', undefined],
])('the cookie _ga=%s has the client ID %s', async (value, wanted) => {
  visit('https://www.shop.example/')
  document.cookie = `_ga=${value};path=/`
  open('https://www.shop.example/').page()
  await settle()
  expect(events()[0]?.context['browserIds']).toMatchObject(wanted === undefined ? {} : { ga: wanted })
  expect(JSON.stringify(events()[0]).includes('"ga":')).toBe(wanted !== undefined)
})

// facebook/capi-param-builder, client_js/shared/model/cookies.js: a known click keeps its cookie, a new click replaces it.
// The marks are those of its tests (`Bg`) and of eight characters (`AQYBAQEB`).
test.each([
  ['fb.1.1554763741205.IwAR2', 'fb.1.1554763741205.IwAR2'],
  ['fb.1.1554763741205.IwAR2.Bg', 'fb.1.1554763741205.IwAR2.Bg'],
  ['fb.1.1554763741205.IwAR2.AQYBAQEB', 'fb.1.1554763741205.IwAR2.AQYBAQEB'],
  ['fb.1.1554763741205.IwAR2x.Bg', expect.stringMatching(/^fb\.1\.\d{13}\.IwAR2$/)],
  ['fb.1.1554763741205.other', expect.stringMatching(/^fb\.1\.\d{13}\.IwAR2$/)],
])('after a click IwAR2, the cookie _fbc=%s becomes %s', async (value, wanted) => {
  visit('https://www.shop.example/')
  document.cookie = `_fbc=${value};path=/`
  open('https://www.shop.example/?fbclid=IwAR2').page()
  await settle()
  expect(events()[0]?.context['browserIds']).toMatchObject({ fbc: wanted })
})

// Values as Google's tag writes them: format GS1 until 2025, GS2 since then.
test.each([
  ['of the first format', ['_ga_A1B2C3=GS1.1.1700000000.3.1.1700000100.60.0.0'], '1700000000'],
  ['of the second format', ['_ga_A1B2C3=GS2.1.s1700000000$o3$g1$t1700000100$j60$l0$h0'], '1700000000'],
  ['of two streams with one session', ['_ga_A=GS1.1.17.3.1.1.6.0.0', '_ga_B=GS2.1.s17$o3$g1'], '17'],
  ['of two streams with two sessions', ['_ga_A=GS1.1.17.3.1.1.6.0.0', '_ga_B=GS2.1.s18$o3$g1'], undefined],
  ['of another format', ['_ga_A=hello'], undefined],
])('with consent, events have the session ID in the cookie of Google Analytics %s', async (_, cookies, session) => {
  visit('https://www.shop.example/')
  for (const each of cookies) document.cookie = `${each};path=/`
  open('https://www.shop.example/').page()
  await settle()
  const [first] = events()
  const ids = Object.entries(first?.context['browserIds'] ?? {})
  expect(ids.find(([name]) => name === 'gaSession')?.[1]).toBe(session)
})

test('the server is called for cookies once, and again only if a value is new', async () => {
  open('https://www.shop.example/?gclid=a').page()
  await settle()
  open('https://www.shop.example/b').page()
  await settle()
  expect(asked()).toHaveLength(1)
  expect(sent[0]?.url).toBe('https://events.shop.example/tag/v1/k%201/cookies')
  open('https://www.shop.example/?gclid=b').page()
  await settle()
  expect(asked()[1]?.['trb_clicks']).toMatch(/^gclid:[a-z0-9]+:b$/)
})

test('cookies that a server of another site cannot set are set by a script', async () => {
  sets = false
  open('https://www.shop.example/?gclid=a', { origin: 'https://cdp.example' }).page()
  await settle()
  expect(document.cookie).toMatch(/trb_aid=[0-9a-f-]{36}/)
  expect(document.cookie).toContain('trb_clicks=gclid')
})

test('without consent there are no cookies and no permanent ID, and neither events nor URLs contain click IDs', async () => {
  open('https://www.shop.example/?gclid=a&x=1', { consent: 'denied' }).page()
  await settle()
  open('https://www.shop.example/b', { consent: 'denied' }).page()
  await settle()
  const [first, second] = events()
  expect(document.cookie).toBe('')
  expect(asked()).toEqual([])
  expect(first?.anonymousId).not.toBe(second?.anonymousId)
  expect(first?.context).toMatchObject({ consent: { categoryPreferences: { advertising: false } } })
  expect(first?.context.page).toMatchObject({ url: 'https://www.shop.example/?x=1', search: '?x=1' })
  expect(JSON.stringify(events())).not.toMatch(/gclid|browserIds|clickIds/)
})

test("consent that is given later keeps the page's click and the visitor of its earlier events", async () => {
  const tag = open('https://www.shop.example/?gclid=a', { consent: 'denied' })
  tag.page()
  tag.consent('granted')
  tag.track('Lead Created')
  await settle()
  const [page, lead] = events()
  expect(lead?.anonymousId).toBe(page?.anonymousId)
  expect(page?.context['clickIds']).toBeUndefined()
  expect(lead?.context['clickIds']).toEqual({ gclid: 'a' })
  expect(document.cookie).toContain('trb_clicks=gclid')
})

test('when consent is withdrawn, the cookies are removed, even those that the server is setting', async () => {
  const tag = open('https://www.shop.example/?fbclid=a')
  tag.consent('denied')
  tag.page()
  await settle()
  expect(document.cookie).toBe('')
  expect(events()[0]?.context['clickIds']).toBeUndefined()
})

test('when consent is refused on a later page, the cookies of earlier pages are removed, and no code reads them before', async () => {
  open('https://www.shop.example/?gclid=a').identify('user-1')
  await settle()
  const tag = open('https://www.shop.example/b', { consent: 'denied' })
  tag.page()
  tag.consent('denied')
  await settle()
  expect(document.cookie).toBe('')
  expect(events()[1]?.userId).toBeUndefined()
})

test('a click in a URL that the page has changed is kept', async () => {
  const tag = open('https://www.shop.example/')
  visit('https://www.shop.example/#/sale?x')
  tag.page()
  visit('https://www.shop.example/?gclid=later')
  tag.page()
  tag.track('A')
  await settle()
  expect(events()[1]?.context['clickIds']).toEqual({ gclid: 'later' })
  expect(events()[2]?.context['clickIds']).toEqual({ gclid: 'later' })
})

test('calls before the tag is loaded are executed later with the IDs that they returned; an early consent applies from the beginning', async () => {
  visit('https://www.shop.example/?gclid=a')
  window.tributary = Object.assign([
    ['consent', 'i0', ['denied']],
    ['track', 'id-1', ['Lead Created', { a: 1 }]],
    ['constructor', 'i2', []],
  ] satisfies [string, string, unknown[]][]) as never
  startTag(config)
  await settle()
  expect(events()).toMatchObject([{ event: 'Lead Created', messageId: 'id-1', properties: { a: 1 } }])
  expect(asked()).toEqual([])
})

test('a call returns its message ID for the pixel; a given message ID is used instead', async () => {
  const tag = open('https://www.shop.example/')
  const own = tag.newId()
  const ids = [tag.track('A'), tag.track('B', {}, { messageId: own })]
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids[1]).toBe(own)
  await settle()
  expect(events().map(({ messageId }) => messageId)).toEqual(ids)
})

test('later events have the identified user, and traits stay on the page; a reset clears both', async () => {
  const tag = open('https://www.shop.example/')
  tag.identify('user-1', { email: 'jane@example.com' })
  tag.track('A')
  await settle()
  const next = open('https://www.shop.example/b')
  next.track('B')
  next.reset()
  next.track('C')
  await settle()
  const [identify, a, b, c] = events()
  expect(identify).toMatchObject({ type: 'identify', userId: 'user-1', traits: { email: 'jane@example.com' } })
  expect(a).toMatchObject({ userId: 'user-1', context: { traits: { email: 'jane@example.com' } } })
  expect(b?.userId).toBe('user-1')
  expect(b?.context['traits']).toBeUndefined()
  expect(c?.userId).toBeUndefined()
  expect(c?.anonymousId).not.toBe(b?.anonymousId)
  expect(document.cookie).not.toMatch(/jane/)
})

test.each([
  ['a server that is away', () => Promise.reject(new TypeError('Failed to fetch')) as never],
  ['503', () => new Response('', { status: 503, headers: { 'retry-after': '2' } })],
  ['429', () => new Response('', { status: 429 })],
])('after %s, the same events are sent again until they are accepted once', async (_, failure) => {
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  let times = 0
  answer = () => (times++ < 2 ? failure() : Response.json({}))
  const id = tag.track('A')
  await settle()
  tag.track('B')
  await settle()
  expect(events().map(({ messageId }) => messageId)).toEqual([id, id, id, expect.not.stringMatching(id)])
})

test('events that the server refuses permanently are not sent again', async () => {
  answer = () => new Response('', { status: 400 })
  open('https://www.shop.example/', { consent: 'denied' }).track('A')
  await settle()
  expect(events()).toHaveLength(1)
})

test('pending events are passed to the browser when the user leaves the page, in batches that it accepts', async () => {
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  for (let i = 0; i < 45; i++) tag.track(`E${i}`, { text: 'x'.repeat(1000) })
  window.dispatchEvent(new Event('pagehide'))
  expect(events().map(({ event }) => event)).toEqual(Array.from({ length: 45 }, (_, i) => `E${i}`))
  for (const { body } of sent) expect(JSON.stringify(body).length).toBeLessThan(64 * 1024)
  await settle()
  expect(events()).toHaveLength(45)
})

test('while sending is impossible, at most 200 events are pending', async () => {
  answer = () => new Response('', { status: 503 })
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  for (let i = 0; i < 500; i++) tag.track(`E${i}`)
  sent = []
  window.dispatchEvent(new Event('pagehide'))
  expect(events()).toHaveLength(200)
  expect(events().at(-1)?.event).toBe('E499')
})

test('properties that are invalid in JSON break neither the page nor later events', async () => {
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  tag.track('A', circle)
  tag.track('B')
  await settle()
  expect(reported).toHaveBeenCalledOnce()
  expect(events().map(({ event }) => event)).toEqual(['B'])
})

test('a page with the tag twice sends its events once', async () => {
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  startTag({ ...config, consent: 'denied' })
  tag.track('A')
  await settle()
  expect(events()).toHaveLength(1)
})

/** Simulates the limit of browsers: 64 KiB for all requests that continue after the page has closed. */
const takesLittle = (): { tries: number } => {
  const seen = { tries: 0 }
  const bytesOf = (body: string): number => new TextEncoder().encode(body).length
  vi.stubGlobal('fetch', async (url: string, { body, keepalive }: { body: string; keepalive: boolean }) => {
    seen.tries++
    if (keepalive && bytesOf(body) > 64 * 1024) throw new TypeError('Failed to fetch')
    sent.push({ url, body: JSON.parse(body) })
    return answer()
  })
  vi.stubGlobal('navigator', {
    ...navigator,
    sendBeacon: (url: string, body: string) =>
      bytesOf(body) <= 64 * 1024 && sent.push({ url, body: JSON.parse(body) }) > 0,
  })
  return seen
}
const names = (): (string | undefined)[] => events().map(({ event }) => event)

test.each([
  ['of ASCII', 'x'.repeat(70_000)],
  ['of letters that take three bytes each', '日'.repeat(25_000)],
  ['of pairs of surrogates', '🙂'.repeat(20_000)],
  ['of half a megabyte', 'x'.repeat(500_000)],
])(
  'an event %s that is too large for keepalive is sent once, and so are the events before and after it',
  async (_, text) => {
    const seen = takesLittle()
    const tag = open('https://www.shop.example/', { consent: 'denied' })
    tag.track('Before')
    tag.track('Large', { text })
    tag.track('Behind')
    await settle()
    expect(names()).toEqual(['Before', 'Large', 'Behind'])
    expect(seen.tries).toBe(3)
  },
)

test('many events with letters outside ASCII are sent in batches that a browser accepts', async () => {
  takesLittle()
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  const wanted = Array.from({ length: 30 }, (_, i) => `E${i}`)
  for (const name of wanted) tag.track(name, { text: '日'.repeat(1500) })
  await settle()
  expect(names()).toEqual(wanted)
})

test('an event that all servers refuse is dropped with a console message, and others continue', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  tag.track('Huge', { text: 'x'.repeat(1_000_001) })
  tag.track('Small')
  await settle()
  expect(names()).toEqual(['Small'])
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^Tributary: an event of \d+ bytes is too large/))
  warn.mockRestore()
})

test('a large event that fails does not block other events, and is sent again', async () => {
  takesLittle()
  let fails = true
  answer = () => {
    const isLarge = JSON.stringify(sent.at(-1)).length > 60_000
    if (!isLarge || !fails) return Response.json({})
    fails = false
    sent.pop()
    throw new TypeError('Failed to fetch')
  }
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  tag.track('Large', { text: 'x'.repeat(70_000) })
  tag.track('Small')
  await settle()
  expect(names()).toEqual(['Small', 'Large'])
})

test('a batch that the browser refuses to send with keepalive is sent without it', async () => {
  const asked: boolean[] = []
  vi.stubGlobal('fetch', async (url: string, { body, keepalive }: { body: string; keepalive: boolean }) => {
    asked.push(keepalive)
    if (keepalive) throw new TypeError('Failed to fetch')
    sent.push({ url, body: JSON.parse(body) })
    return Response.json({})
  })
  open('https://www.shop.example/', { consent: 'denied' }).track('A')
  await settle()
  expect([names(), asked]).toEqual([['A'], [true, false]])
})

test('if the browser refuses one event when the user leaves the page, the other events are still sent', async () => {
  takesLittle()
  const tag = open('https://www.shop.example/', { consent: 'denied' })
  tag.track('Large', { text: 'x'.repeat(70_000) })
  tag.track('Small')
  window.dispatchEvent(new Event('pagehide'))
  expect(names()).toEqual(['Small'])
  await settle()
  expect(names()).toEqual(['Small', 'Large'])
})

test.each([
  [55_520, '55520'],
  [0, '0'],
  [-1.5, '-1.5'],
  ['u-1', 'u-1'],
])('identify(%j, traits) keeps the ID and the traits', async (id, userId) => {
  const tag = open('https://www.shop.example/', { consent: 'granted' })
  tag.identify(id, { plan: 'pro' })
  tag.track('A')
  await settle()
  expect(events()).toMatchObject([
    { type: 'identify', userId, traits: { plan: 'pro' } },
    { type: 'track', userId, context: { traits: { plan: 'pro' } } },
  ])
})

const restore = (persisted: boolean): void => {
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
}

test('a page that is restored from the back/forward cache tracks a page view, with its name and properties', async () => {
  const tag = open('https://www.shop.example/?a=1', { consent: 'denied' })
  tag.page('Products', { list: 'new' })
  restore(false)
  await settle()
  expect(events()).toHaveLength(1)
  restore(true)
  restore(true)
  await settle()
  expect(events()).toHaveLength(3)
  expect(events()[2]).toMatchObject({ type: 'page', name: 'Products', properties: { list: 'new' } })
  expect(new Set(events().map(({ messageId }) => messageId)).size).toBe(3)
})

test('a restored page without automatic page views tracks none, and uses the user who signed in elsewhere in the meantime', async () => {
  const tag = open('https://www.shop.example/')
  restore(true)
  await settle()
  expect(events()).toEqual([])
  tag.page()
  await settle()
  document.cookie = 'trb_uid=jane;path=/'
  restore(true)
  await settle()
  expect(events().map(({ userId }) => userId)).toEqual([undefined, 'jane'])
})
