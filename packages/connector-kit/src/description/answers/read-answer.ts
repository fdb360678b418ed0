import { cutText, ExactNumber, isJsonObject, type JsonObject } from '@tributary/kernel'
import type { EventOutcome } from '../../definition/definition.ts'
import { hideSecrets } from '../../http/redaction.ts'
import type { HttpAnswer } from '../../http/request-client.ts'
import { classifyStatus, isWebPage, parseRetryAfter, retryAfterCapMs } from '../../http/send-request.ts'
import type { DescribedAnswers, ItemErrors, Rule, RuleCondition } from '../format/schema-requests.ts'
import { hasStatus, meets, parsedAnswer, textInAnswer, valueInAnswer } from './answer-value.ts'

/** An item of a request as it was sent, and the place of its list in the body. */
export type SentItem = { readonly value: unknown; readonly place: string }

/** What an answer says about a request with `items.length` items. */
export type Reading =
  /** One outcome for all items. `split`: one of several items can be the cause. */
  | { kind: 'all'; outcome: EventOutcome; split: boolean }
  /** Nothing can be sent before a user changes the set-up. */
  | { kind: 'misconfigured'; message: string }
  /** Outcomes of single items by their position. The others have one outcome, or were not accepted. */
  | { kind: 'items'; named: ReadonlyMap<number, EventOutcome>; others: EventOutcome | 'not_accepted' }

type Given = {
  answer: HttpAnswer
  answers: DescribedAnswers
  items: readonly SentItem[]
  title: string
  /** Texts that are hidden in reasons. */
  secrets: readonly string[]
  /** Epoch ms. */
  now: number
}

/** Maximum entries of a list of errors that are read, and characters of a reason. */
const maxEntries = 20_000
const maxReason = 300
/** Characters of an answer's text in which secrets are looked for: many more than are shown. */
const maxSearched = 20_000

/** Returns a text of an answer as it is shown: short, and without secrets. */
const shownText = (text: string, secrets: readonly string[]): string =>
  cutText(hideSecrets(cutText(text, maxSearched), secrets), maxReason)

/** Returns how long the vendor asks to wait, in ms, at most an hour; undefined if it does not say. */
export const waitOf = (
  { headers }: Pick<HttpAnswer, 'headers'>,
  body: unknown,
  described: DescribedAnswers['retry_after'],
  now: number,
): number | undefined => {
  const standard = parseRetryAfter(headers['retry-after'], now)
  if (described === undefined) return standard
  const given =
    (described.header === undefined ? undefined : headers[described.header]) ??
    (described.path === undefined ? undefined : valueInAnswer(body, described.path))
  const number = typeof given === 'number' || (typeof given === 'string' && given.trim() !== '') ? Number(given) : NaN
  if (!Number.isFinite(number) || number < 0)
    return typeof given === 'string' ? (parseRetryAfter(given, now) ?? standard) : standard
  const ms = described.unit.endsWith('milliseconds') ? number : number * 1000
  return Math.min(Math.max(Math.round(described.unit.startsWith('epoch') ? ms - now : ms), 0), retryAfterCapMs)
}

const retryOf = (reason: string, wait: number | undefined): EventOutcome & { reason: string } => ({
  kind: 'retry',
  reason,
  ...(wait === undefined ? {} : { retryAfterMs: wait }),
})

/** `name`: that of the entry in an object of entries. */
type Entry = { value: unknown; reason: string; position: number; name?: string }

/**
 * Returns the entries at the place of the errors: those of a list, or of each list of an object. They can also be the
 * members of an object, whose names are indexes or keys.
 */
const entriesAt = (body: unknown, { at, by }: ItemErrors): Entry[] => {
  const found = valueInAnswer(body, at)
  if (by === 'name' || (typeof by === 'object' && 'name' in by))
    return Object.entries(isJsonObject(found) ? found : {})
      .slice(0, maxEntries)
      .map(([name, value]) => ({
        value,
        name,
        reason: '',
        position: /^\d{1,6}$/.test(name) ? Number(name) : Number.NaN,
      }))
  const listed = (list: unknown, reason: string): Entry[] =>
    Array.isArray(list)
      ? list.slice(0, maxEntries).map((value: unknown, position) => ({ value, reason, position }))
      : []
  if (Array.isArray(found)) return listed(found, '')
  if (typeof found !== 'object' || found === null) return []
  return Object.entries(found)
    .slice(0, maxEntries)
    .flatMap(([name, list]) => listed(list, name))
    .slice(0, maxEntries)
}

const isEntryObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

const indexIn = (value: unknown, after: string | undefined): number | undefined => {
  if (after === undefined) return Number.isInteger(value) ? (value as number) : undefined
  if (typeof value !== 'string') return undefined
  const from = value.indexOf(after)
  const digits = from < 0 ? '' : (/^\d{1,6}/.exec(value.slice(from + after.length))?.[0] ?? '')
  return digits === '' ? undefined : Number(digits)
}

/** Finds the positions of the items that entries name. */
const createFinder = ({ by, place }: ItemErrors, items: readonly SentItem[]) => {
  const all = [...items.keys()]
  const positions = new Map<string, number[]>()
  const add = (key: string, position: number): void => {
    const known = positions.get(key)
    if (known === undefined) positions.set(key, [position])
    else known.push(position)
  }
  for (const [position, item] of items.entries()) {
    if (place !== undefined) add(item.place, position)
    else if (typeof by === 'object' && 'of_item' in by) {
      const key = valueInAnswer(item.value, by.of_item)
      if (typeof key === 'string' || typeof key === 'number' || key instanceof ExactNumber)
        add(key.toString(), position)
    }
  }
  return ({ value, position, name = '' }: Entry): readonly number[] => {
    if (by === 'position' || by === 'name') return position < items.length ? [position] : []
    if ('name' in by) return positions.get(name) ?? []
    const named = isEntryObject(value) ? valueInAnswer(value, 'key' in by ? by.key : by.index) : value
    if ('key' in by)
      return typeof named === 'string' || typeof named === 'number' ? (positions.get(String(named)) ?? []) : []
    const sent = place === undefined ? all : positions.get(String(valueInAnswer(value, place)))
    return (Array.isArray(named) ? named.slice(0, maxEntries) : [named]).flatMap((one: unknown) => {
      const found = sent?.[(indexIn(one, by.after) ?? -1) - by.first]
      return found === undefined ? [] : [found]
    })
  }
}

/** Returns the outcomes of the items that an answer names, and that of the first failure that names no sent item. */
const namedItems = (errors: ItemErrors, body: unknown, given: Given, wait: number | undefined) => {
  const named = new Map<number, EventOutcome>()
  let unnamed: (EventOutcome & { reason: string }) | undefined
  const find = createFinder(errors, given.items)
  /** The last reason: an answer can have the same long one for each entry. */
  let last = { said: '', reason: '' }
  /** Lists of positions that already have an outcome of their own kind: an answer can name one key in each entry. */
  const settled = new Map<readonly number[], EventOutcome['kind']>()
  for (const entry of entriesAt(body, errors)) {
    if (errors.delivered !== undefined && meets(entry.value, errors.delivered)) continue
    if (errors.known !== undefined && meets(entry.value, errors.known)) {
      for (const position of find(entry)) if (!named.has(position)) named.set(position, { kind: 'delivered' })
      continue
    }
    const isRetry = errors.retry !== undefined && meets(entry.value, errors.retry)
    const said = [errors.label ?? '', textInAnswer(entry.value, errors.reason) || entry.reason]
      .filter((part) => part !== '')
      .join(': ')
    if (last.said !== said) last = { said, reason: shownText(said, given.secrets) }
    const reason = last.reason || `Refused by ${given.title}`
    const outcome = isRetry ? retryOf(reason, wait) : ({ kind: 'rejected', reason } as const)
    const positions = find(entry)
    if (positions.length === 0) unnamed ??= outcome
    const before = settled.get(positions)
    if (before === 'rejected' || before === outcome.kind) continue
    settled.set(positions, outcome.kind)
    // Several errors of one item: a permanent one decides.
    for (const position of positions) if (named.get(position)?.kind !== 'rejected') named.set(position, outcome)
  }
  return { named, unnamed, others: errors.others }
}

/**
 * Returns what the lists of errors say; undefined if they say nothing. A failure that names no item is that of the only
 * item. Among several items, halves find its item if an item can be sent twice. Otherwise all items without a name are
 * rejected, because the vendor has accepted some of them.
 */
const readItems = (given: Given, body: unknown, wait: number | undefined): Reading | undefined => {
  const { answer, answers, items, title } = given
  const all = answers.items
    .filter(({ status }) => hasStatus(answer.status, status))
    .map((errors) => namedItems(errors, body, given, wait))
  const first = all.find(({ named }) => named.size > 0)
  const left = all.find(({ unnamed }) => unnamed !== undefined)
  const failure = left?.unnamed
  const others = (first ?? left)?.others
  const named = new Map(all.flatMap((one) => [...one.named]))
  // Several errors of one item: a permanent one decides.
  for (const one of all) for (const [at, outcome] of one.named) if (outcome.kind === 'rejected') named.set(at, outcome)
  if (first === undefined) {
    // The whole request was refused, and its status code decides.
    if (failure === undefined || classifyStatus(answer.status) === 'rejected') return undefined
    const split = others !== 'delivered' && items.length > 1
    if (split || items.length < 2) return { kind: 'all', outcome: failure, split }
  }
  if (others === 'not_accepted' || (others === 'repeatable' && failure !== undefined))
    return { kind: 'items', named, others: 'not_accepted' }
  if (failure === undefined) return { kind: 'items', named, others: { kind: 'delivered' } }
  const reason = `${title} does not say which records it refuses, and has accepted the others: ${failure.reason}`
  return { kind: 'items', named, others: { kind: 'rejected', reason } }
}

type Answered = Pick<HttpAnswer, 'status' | 'headers' | 'body'>

const meetsRule = ({ when = [] }: Rule, { headers, body }: Answered, parsed: unknown): boolean =>
  (Array.isArray(when) ? when : [when]).every((one: RuleCondition) =>
    'header' in one ? one.is.includes(headers[one.header] ?? '') : meets(parsed ?? body, one),
  )

/** Returns the first rule that fits an answer; undefined if none does. */
export const ruleFor = ({ rules }: DescribedAnswers, answer: Answered, parsed: unknown): Rule | undefined =>
  rules.find((rule) => hasStatus(answer.status, rule.status) && meetsRule(rule, answer, parsed))

/** Returns the message of an answer for which a user has to change the settings; undefined for any other answer. */
const setUpProblem = ({ answer, title }: Given): string | undefined => {
  const { status } = answer
  if (status === 401 || status === 403) return `${title} refuses the credentials (HTTP ${status})`
  if (status >= 300 && status < 400) return `${title} redirects (HTTP ${status}), so something is in its way`
  return status < 300 && isWebPage(answer) ? `A web page came in place of an answer of ${title}` : undefined
}

/**
 * Returns what an answer says. The first rule that fits applies. Without one, 401, 403, redirects, and web pages hold the
 * events. 408, 429, and 5xx are retried, and other codes from 400 on are rejected. A success without the expected
 * confirmation is retried. Single items that an answer names have their own outcomes. See `readItems` for the others.
 */
export const readAnswer = (given: Given): Reading => {
  const { answer, answers, items, title, secrets, now } = given
  const body = parsedAnswer(answer.body)
  const wait = waitOf(answer, body, answers.retry_after, now)
  const said = shownText(textInAnswer(body, answers.reason), secrets)
  const reason = `HTTP ${answer.status}${said === '' ? '' : `: ${said}`}`
  const retry = (why: string): Reading => ({ kind: 'all', outcome: retryOf(why, wait), split: false })
  const reject = (why: string): Reading => ({
    kind: 'all',
    outcome: { kind: 'rejected', reason: why },
    split: items.length > 1,
  })
  const fitting = ruleFor(answers, answer, body)
  if (fitting !== undefined) {
    const why = fitting.message ?? reason
    if (fitting.outcome === 'misconfigured') return { kind: 'misconfigured', message: `${title}: ${why}` }
    if (fitting.outcome === 'retry') return retry(why)
    if (fitting.outcome === 'skipped') return { kind: 'all', outcome: { kind: 'skipped', reason: why }, split: false }
    if (fitting.outcome === 'rejected') return reject(why)
    return { kind: 'all', outcome: { kind: 'delivered' }, split: false }
  }
  const problem = setUpProblem(given)
  if (problem !== undefined) return { kind: 'misconfigured', message: problem }
  const kind = classifyStatus(answer.status)
  // A request that can be repeated as a whole is, unless the description lists this status code itself.
  const isListed = answers.items.some(({ status }) => (status as readonly unknown[]).includes(answer.status))
  if (kind === 'retry' && !isListed) return retry(reason)
  const single = readItems(given, body, wait)
  // Items that the vendor may not have taken are sent again, unless the description says what became of them.
  const isOpen = kind === 'retry' && single?.kind === 'items' && single.others !== 'not_accepted'
  if (single !== undefined) return isOpen ? { ...single, others: retryOf(reason, wait) } : single
  if (kind === 'retry') return retry(reason)
  const isListing = answers.items.some(({ status }) => hasStatus(answer.status, status))
  if (kind === 'delivered' && isListing && body === undefined && answer.body.trim() !== '')
    return retry(`The answer of ${title} cannot be read (${reason})`)
  if (kind === 'rejected') return reject(answer.status === 413 ? `${reason}: too large` : reason)
  if (answers.confirmed !== undefined && !meets(body, answers.confirmed))
    return retry(`${title} did not confirm the request (${reason})`)
  return { kind: 'all', outcome: { kind: 'delivered' }, split: false }
}
