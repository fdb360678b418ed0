import { type Clicks, clickContext, clicksIn, formatClicks, mergeClicks, parseClicks, withoutClicks } from './clicks.ts'
import { cookie, cookieNames, removeCookie, sharedDomain, writeCookie } from './cookies.ts'
import { createSender } from './sender.ts'

/** The configuration that the server gives to the tag of a source. `origin` is the server for events and cookies. */
export type TagConfig = { key: string; origin: string; consent: 'granted' | 'denied' }

type Options = { messageId?: string; timestamp?: string; context?: object }
type Properties = Record<string, unknown>

/**
 * The functions for pages. Each function for an event returns a message ID. A pixel that gets this ID does not count
 * the event twice.
 */
export type Tag = {
  page(name?: string | Properties, properties?: Properties, options?: Options): string
  track(event: string, properties?: Properties, options?: Options): string
  identify(userId?: string | number | Properties | null, traits?: Properties, options?: Options): string
  /** Whether the visitor agrees to cookies and to sharing data for ads. */
  consent(choice: 'granted' | 'denied'): void
  /** Forgets the visitor, as after signing out. */
  reset(): void
  /** Creates a message ID in advance, for a page that calls an advertising pixel before it sends the event. */
  newId(): string
}

/** A call that was made before the tag was loaded: its name, the message ID that it returned, and its arguments. */
type EarlyCall = [name: keyof Tag, id: string, given: unknown[]]

declare global {
  interface Window {
    tributary?: EarlyCall[] & Partial<Tag>
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000)

/** A random UUID, also on pages of plain http. */
const newId = (): string =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
    (+digit ^ ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & (15 >> (+digit / 4)))).toString(16),
  )

/** The client ID in the cookie of Google Analytics, `GA1.1.<client ID>`, or `GA1.1-2.<client ID>` with a cookie path. */
const gaClientId = (): string => /^GA\d+\.\d+(?:-\d+)?\.(\d+\.\d+)$/.exec(cookie('_ga'))?.[1] ?? ''

/**
 * The session ID in the cookies `_ga_<stream>` of Google Analytics, `GS1.1.<session ID>.…` or `GS2.1.s<session ID>$…`.
 * Empty if the page has streams with different sessions, because it does not say which one is meant.
 */
const gaSession = (): string => {
  const found = [...document.cookie.matchAll(/(?:^|; ?)_ga_[A-Z0-9]+=GS\d\.\d\.s?(\d+)[.$]/g)].map(([, id = '']) => id)
  return new Set(found).size === 1 ? (found[0] ?? '') : ''
}

/** Returns Meta's cookie of the last click, also with the mark of Parameter Builder; '' if it has an earlier click. */
const knownFbc = ({ fbclid }: Clicks): string => {
  const kept = cookie(cookieNames.fbc)
  return fbclid === undefined || `${kept}.`.includes(`.${fbclid.value}.`) ? kept : ''
}

const present = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

/** The visitor and their ad clicks: in memory, and with consent in cookies. */
const createVisitor = (config: TagConfig) => {
  const place = `${config.origin}/tag/v1/${encodeURIComponent(config.key)}/cookies`
  const domain =
    sharedDomain(location.hostname, new URL(config.origin).hostname) ?? location.hostname.split('.').slice(-2).join('.')
  // Meta counts the dots in the domain of the cookie: 0 for 'com', 1 for 'example.com'.
  const prefix = `fb.${/^[\d.]+$|:/.test(location.hostname) ? 1 : domain.split('.').length - 1}.`
  let granted = config.consent === 'granted'
  let anonymousId = newId()
  let userId = ''
  let clicks: Clicks = {}
  let fbp = ''
  let fbc = ''
  let asked: Promise<unknown> = Promise.resolve()
  let askedFor = ''

  const remove = (): void => {
    askedFor = ''
    for (const name of Object.values(cookieNames)) if (cookie(name) !== '') removeCookie(name)
  }

  /** Calls the server to set cookies, one call at a time. Cookies that it could not set are set by script. */
  const ask = (set: Record<string, string>): void => {
    const send = async (): Promise<void> => {
      if (granted)
        await fetch(place, { method: 'POST', body: JSON.stringify(set), credentials: 'include', keepalive: true })
    }
    const after = (): void => {
      // Consent may have been withdrawn in the meantime.
      if (!granted) return remove()
      for (const [name, value] of Object.entries(set)) if (cookie(name) !== value) writeCookie(name, value)
    }
    asked = asked.then(send).then(after, after)
  }

  const save = (): void => {
    const { anonymousId: aid, userId: uid, clicks: kept, session, fbp: browser, fbc: click } = cookieNames
    const set = present({
      [aid]: anonymousId,
      [uid]: encodeURIComponent(userId),
      [kept]: formatClicks(clicks, seconds()),
      [browser]: cookie(browser) || fbp,
      [click]: fbc,
      [session]: '1',
    })
    const wanted = JSON.stringify(set)
    // Does not send the same request twice.
    if (wanted === askedFor || Object.entries(set).every(([name, value]) => cookie(name) === value)) return
    askedFor = wanted
    ask(set)
  }

  const begin = (): void => {
    const now = seconds()
    const known = cookie(cookieNames.anonymousId)
    if (/^[0-9a-f-]{36}$/.test(known)) anonymousId = known
    try {
      userId = userId || decodeURIComponent(cookie(cookieNames.userId))
    } catch {
      // The cookie is not from the tag, so it is ignored.
    }
    clicks = mergeClicks(parseClicks(cookie(cookieNames.clicks), now), clicksIn(location.search, now))
    fbp = fbp || `${prefix}${Date.now()}.${Math.floor(Math.random() * 2_147_483_648)}`
    const { fbclid } = clicks
    fbc = knownFbc(clicks) || (fbclid === undefined ? '' : `${prefix}${Date.now()}.${fbclid.value}`)
    save()
  }

  if (granted) begin()
  return {
    ids: () => ({ anonymousId, ...(userId === '' ? {} : { userId }) }),
    granted: () => granted,
    /** Returns the ad data of an event; nothing without consent. */
    context: () =>
      granted
        ? {
            ...clickContext(clicks),
            browserIds: present({
              fbp: cookie(cookieNames.fbp) || fbp,
              fbc: knownFbc(clicks) || fbc,
              ttp: cookie('_ttp'),
              ga: gaClientId(),
              gaSession: gaSession(),
            }),
          }
        : {},
    /** Reads the URL again, because pages can change it without a load. */
    look() {
      if (granted) begin()
    },
    /** Adopts the visitor's IDs from cookies that other pages may have changed in the meantime. */
    restore() {
      if (!granted || cookie(cookieNames.anonymousId) === '') return
      userId = ''
      begin()
    },
    identify(user: string) {
      userId = user
      if (granted) save()
    },
    consent(choice: boolean) {
      if (choice && granted) return
      granted = choice
      if (granted) return begin()
      // Removes cookies of earlier pages, too.
      clicks = {}
      fbp = ''
      fbc = ''
      anonymousId = newId()
      remove()
    },
    reset() {
      userId = ''
      anonymousId = newId()
      removeCookie(cookieNames.userId)
      if (granted) save()
    },
  }
}

const pageOf = (granted: boolean) => {
  const shown = granted ? (address: string): string => address : withoutClicks
  const url = shown(location.href)
  return {
    url,
    path: location.pathname,
    search: shown(location.search),
    title: document.title,
    referrer: shown(document.referrer),
  }
}

/**
 * Starts the tag: replaces the list of early calls by the functions and executes these calls. If the page already has a
 * tag, keeps that one.
 */
export const startTag = (config: TagConfig): void => {
  const tag = window.tributary ?? []
  window.tributary = tag
  if ('started' in tag) return
  Object.assign(tag, { started: true })
  const early = tag.splice(0)
  // If the first call of the page is about consent, it applies from the beginning.
  const [first, , [choice] = []] = early[0] ?? []
  const consent = first !== 'consent' ? config.consent : choice === 'granted' ? 'granted' : 'denied'
  const visitor = createVisitor({ ...config, consent })
  const sender = createSender(`${config.origin}/v1/b?writeKey=${encodeURIComponent(config.key)}`)
  let traits: Properties = {}
  /** The last page view, which is tracked again when the page is restored. */
  let lastPage: [name?: string | Properties, properties?: Properties] | undefined

  const send = (type: string, id: string, fields: object, options: Options = {}): string => {
    const { messageId = id, timestamp = new Date().toISOString(), context } = options
    const granted = visitor.granted()
    try {
      sender.add({
        type,
        messageId,
        timestamp,
        ...visitor.ids(),
        ...fields,
        context: {
          page: pageOf(granted),
          userAgent: navigator.userAgent,
          locale: navigator.language,
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          library: { name: 'tributary-tag', version: '1.0.0' },
          ...(type === 'identify' || Object.keys(traits).length === 0 ? {} : { traits }),
          ...visitor.context(),
          consent: { categoryPreferences: { advertising: granted } },
          ...context,
        },
      })
    } catch (error) {
      // The properties cannot be written as JSON. The error handlers of the page receive the error, and the page
      // continues.
      reportError(error)
    }
    return messageId
  }

  /** Each call with the message ID that it returns. */
  const calls = {
    page(id: string, name?: string | Properties, properties: Properties = {}, options?: Options) {
      visitor.look()
      lastPage = [name, properties]
      if (typeof name === 'string') return send('page', id, { name, properties }, options)
      return send('page', id, { properties: name ?? {} }, options)
    },
    track: (id: string, event: string, properties: Properties = {}, options?: Options) =>
      send('track', id, { event, properties }, options),
    identify(id: string, user?: string | number | Properties | null, given?: Properties, options?: Options) {
      const isId = typeof user !== 'object' && user !== undefined
      if (isId) visitor.identify(String(user))
      traits = { ...traits, ...(isId || user === null || user === undefined ? given : user) }
      return send('identify', id, { traits }, options)
    },
    consent(id: string, choice: string) {
      visitor.consent(choice === 'granted')
      return id
    },
    reset(id: string) {
      traits = {}
      visitor.reset()
      return id
    },
  }

  for (const [name, call] of Object.entries(calls))
    Object.assign(tag, { [name]: (...given: unknown[]) => (call as (...all: unknown[]) => string)(newId(), ...given) })
  Object.assign(tag, { newId })
  for (const [name, id, given] of early)
    if (Object.hasOwn(calls, name)) (calls[name as keyof typeof calls] as (...all: unknown[]) => string)(id, ...given)

  addEventListener('pagehide', sender.leave)
  // When a page is restored from the back/forward cache, the visitor sees it again, but no other code of the tag runs.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    visitor.restore()
    if (lastPage !== undefined) calls.page(newId(), ...lastPage)
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') sender.leave()
  })
}
