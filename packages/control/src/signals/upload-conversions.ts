import { createHash } from 'node:crypto'
import { audit } from '@tributary/api-kit'
import { amountOf, moneyOf } from '@tributary/connector-kit'
import { type methods, type OfflineUpload, type PipelineEvent, signalLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, cutText, readTime } from '@tributary/kernel'
import {
  type CachedSignal,
  convert,
  definitionOf,
  keyOf,
  matcherOf,
  platformOf,
  type ReadyPlatform,
  readPlatforms,
  readSignal,
  readyPlatform,
  type SignalRow,
  signalName,
} from '@tributary/signals'
import type { ControlDeps } from '../deps.ts'
import { type CsvRow, parseCsv } from './csv.ts'
import { readSignalSettings } from './settings.ts'

/**
 * The columns of an uploaded file, each with the path of its value in the traits of the event; undefined for columns
 * with a rule of their own.
 */
const columns = {
  event_id: undefined,
  event_time: undefined,
  value: undefined,
  currency: undefined,
  consent: undefined,
  user_id: undefined,
  email: 'email',
  phone: 'phone',
  first_name: 'firstName',
  last_name: 'lastName',
  city: 'city',
  state: 'state',
  postal_code: 'postalCode',
  country: 'country',
  gclid: 'gclid',
  gbraid: 'gbraid',
  wbraid: 'wbraid',
  fbc: 'fbc',
  fbp: 'fbp',
  fbclid: 'fbclid',
  ttclid: 'ttclid',
  ttp: 'ttp',
  ga_client_id: 'ga_client_id',
  action_source: 'action_source',
} as const
type Column = keyof typeof columns
const isColumn = (name: string): name is Column => Object.hasOwn(columns, name)

const refuseFile = (text: string): Error => badRequest('FILE_REFUSED', text, { file: text })

type Refusal = OfflineUpload['refused'][number]

/** Reads the header and the rows of a file. Throws 400 if one of them is missing. */
const readFile = (content: string): { header: Column[]; rows: CsvRow[] } => {
  const rows = parseCsv(content, signalLimits.uploadRows + 1)
  if (rows === undefined) throw refuseFile('A quote does not end')
  const [first, ...rest] = rows
  if (first === undefined || rest.length === 0) throw refuseFile('The file has no rows')
  const names = first.cells.map((name) => name.trim().toLowerCase())
  const unknown = names.find((name) => !isColumn(name))
  if (unknown !== undefined) throw refuseFile(`There is no column "${cutText(unknown, 40)}"`)
  const header = names.filter(isColumn)
  if (new Set(header).size < header.length) throw refuseFile('A column is there twice')
  for (const name of ['event_id', 'event_time'] as const)
    if (!header.includes(name)) throw refuseFile(`The column ${name} is missing`)
  if (rest.length > signalLimits.uploadRows) throw refuseFile(`A file can have at most ${signalLimits.uploadRows} rows`)
  return { header, rows: rest }
}

const longest = 500

/**
 * Makes the event of a row, from which conversions are made. Returns an error for an invalid row; its message contains
 * no values.
 */
const eventOf = (
  header: readonly Column[],
  { line, cells }: CsvRow,
  signal: CachedSignal,
  now: number,
): { event: PipelineEvent } | Refusal => {
  const refuse = (column: Column | '', reason: string): Refusal => ({ line, column, reason })
  if (cells.length !== header.length) return refuse('', `Has ${cells.length} fields in place of ${header.length}`)
  const given = new Map(header.map((name, index) => [name, cells[index] ?? '']))
  for (const [name, value] of given)
    if (value.length > longest || !value.isWellFormed() || value.includes('\0'))
      return refuse(name, `Longer than ${longest} characters, or not text`)
  const of = (name: Column): string => given.get(name) ?? ''
  if (of('event_id') === '') return refuse('event_id', 'Required')
  if (of('event_id').length > 300) return refuse('event_id', 'At most 300 characters')
  const at = readTime(of('event_time'))
  if (at === undefined) return refuse('event_time', 'Write a time such as 2026-03-04T05:06:07Z')
  const money = moneyOf(of('value'), of('currency'))
  if ('problem' in money)
    return refuse(
      money.of,
      money.of === 'value' ? 'Write a number that is not negative, such as 25.50' : 'Write a code such as USD',
    )
  const texts = Object.fromEntries(
    Object.entries(columns).flatMap(([name, place]) =>
      place === undefined || of(name as Column) === '' ? [] : [[place, of(name as Column)]],
    ),
  )
  const { email, phone, firstName, lastName, city, state, postalCode, country, ...properties } = texts
  const time = new Date(at).toISOString()
  const messageId = of('event_id')
  return {
    event: {
      eventId: `upload-${keyOf(signal.id, messageId)}`,
      messageId,
      type: 'track',
      event: 'Offline Conversion',
      ...(of('user_id') === '' ? {} : { userId: of('user_id') }),
      properties: { ...properties, order_id: messageId, value: amountOf(of('value')), currency: of('currency') },
      context: {
        traits: { email, phone, firstName, lastName, address: { city, state, postalCode, country } },
      },
      test: false,
      receivedAt: new Date(now).toISOString(),
      timestamp: time,
    },
  }
}

/**
 * Makes the signal that turns the rows of a file into conversions. The columns of the file give the ID and value of a
 * conversion.
 */
const offlineSignal = async (
  { db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>,
  row: SignalRow,
): Promise<CachedSignal> => {
  const stored = definitionOf(row)
  const definition = {
    ...stored,
    event_id: { type: 'message_id' as const },
    value:
      stored.value.type === 'fixed'
        ? stored.value
        : {
            type: 'event' as const,
            amount_path: 'properties.value',
            currency_path: 'properties.currency',
            currency: '',
          },
  }
  const platforms: ReadyPlatform[] = []
  for (const each of (await readPlatforms(db, [row.id])).get(row.id) ?? []) {
    const ready = readyPlatform(await platformOf(catalog, each.app), each, stored.conversion)
    if (ready !== undefined) platforms.push(ready)
  }
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    definition,
    platforms,
    enabledAt: 0,
    matches: matcherOf(definition),
    audienceId: null,
  }
}

const maxRefused = 100
/** Number of rows that one transaction stores. */
const rowsAtOnce = 500

/**
 * Reads offline conversions from a file and stores them. Does not send a row again that was uploaded earlier or that an
 * event has sent.
 */
export const uploadConversions =
  ({
    db,
    catalog,
    clock,
    profileValues: profiles,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'clock' | 'profileValues'>): Handler<
    typeof methods.signals.uploadConversions
  > =>
  async ({ workspace, params, body }) => {
    const row = await readSignal(db, workspace.id, params.signal)
    const { header, rows } = readFile(body.content)
    const signal = await offlineSignal({ db, catalog }, row)
    const settings = await readSignalSettings(db, workspace.id)
    const consentPath = settings.consent_path
    const now = clock()
    const consentColumn = header.indexOf('consent')
    const refused: Refusal[] = []
    const events: PipelineEvent[] = []
    for (const each of rows) {
      const made = eventOf(header, each, signal, now)
      if (!('event' in made)) refused.push(made)
      else {
        const consent = consentColumn < 0 ? '' : (each.cells[consentColumn] ?? '')
        events.push(consent === '' ? made.event : withConsent(made.event, consentPath, consent))
      }
    }
    const known = new Set(events.map(({ messageId }) => messageId))
    let accepted = known.size
    if (!body.validate_only) {
      accepted = 0
      for (let at = 0; at < events.length; at += rowsAtOnce) {
        const candidates = events
          .slice(at, at + rowsAtOnce)
          .map((event) => ({ event, signals: [{ signal, origin: 'upload' as const }] }))
        accepted += (await convert({ db, clock, profiles }, workspace.id, { settings }, candidates)).fresh.length
      }
      const hash = createHash('sha256').update(body.content).digest('hex').slice(0, 12)
      await db.transaction().execute((tx) =>
        audit(tx, signalName(workspace.id, row.id), {
          file_name: body.file_name,
          file: hash,
          rows: rows.length,
          accepted,
        }),
      )
    }
    return {
      row_count: rows.length,
      accepted_count: accepted,
      repeated_count: events.length - accepted,
      refused_count: refused.length,
      refused: refused.slice(0, maxRefused),
    }
  }

const withConsent = (event: PipelineEvent, path: string, consent: string): PipelineEvent => {
  const names = path.split('.')
  const put = (value: unknown, at: number): unknown =>
    at === names.length
      ? consent
      : {
          ...(typeof value === 'object' && value !== null ? value : {}),
          [names[at] ?? '']: put((value as Record<string, unknown> | undefined)?.[names[at] ?? ''], at + 1),
        }
  return put(event, 0) as PipelineEvent
}
