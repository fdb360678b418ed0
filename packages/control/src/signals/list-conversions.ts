import { cursorMs, openPage, parseReference } from '@tributary/api-kit'
import { identifiersIn } from '@tributary/connector-kit'
import {
  type Conversion,
  type ConversionStatus,
  conversionOrigins,
  type methods,
  notSentReasons,
  notSentReasonTexts,
  resourceNames,
  signalPlatforms,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readPlatforms, readSignal } from '@tributary/signals'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { type OutcomeAt, readOutcomesOf } from './outcomes.ts'

type Row = {
  key: string
  origin: string
  event_id: string
  source_event: string
  event_time: Date
  create_time: Date
  amount: number | null
  currency: string
  test: boolean
  platforms: string
}

const stored = z.array(z.tuple([z.string(), z.string(), z.number()]))

type Platform = { title: string; platform: Conversion['platforms'][number]['platform'] }

const wordsOf = (reason: string): string => {
  const known = notSentReasons.find((each) => each === reason)
  return known === undefined ? reason : notSentReasonTexts[known]
}

const present = (
  workspace: string,
  signalId: string,
  row: Row,
  platforms: ReadonlyMap<string, Platform>,
  outcomes: ReadonlyMap<string, OutcomeAt>,
): Conversion => ({
  id: `${signalId}-${row.key}`,
  event_id: row.event_id,
  origin: conversionOrigins.find((each) => each === row.origin) ?? 'event',
  event: row.origin === 'event' || row.origin === 'refund' ? eventName(workspace, row.source_event) : '',
  event_time: row.event_time.toISOString(),
  create_time: row.create_time.toISOString(),
  value: row.amount,
  currency: row.currency,
  test: row.test,
  platforms: stored.parse(JSON.parse(row.platforms)).flatMap(([destination, reason, bits]) => {
    const known = platforms.get(destination)
    if (known === undefined) return []
    const outcome = outcomes.get(`${destination} ${signalId}-${row.key}`) ?? { status: 'pending', reason: '' }
    return [
      {
        destination: resourceNames.destination.format({ workspace, destination }),
        ...known,
        ...(reason === '' ? outcome : { status: 'not_sent' as const, reason: wordsOf(reason) }),
        identifiers: identifiersIn(bits),
      },
    ]
  }),
})

/**
 * Returns the ID of a destination of this workspace; '' if no name is given. Throws 404 for a destination of another
 * workspace.
 */
const destinationIdOf = (name: string, workspaceId: string): string => {
  if (name === '') return ''
  const { workspace, destination } = parseReference(resourceNames.destination, 'destination', name)
  if (workspace !== workspaceId) throw notFound('destination not found')
  return destination
}

const eventName = (workspace: string, event: string): string =>
  event === '' ? '' : resourceNames.event.format({ workspace, event })

/** The key of a conversion, in hexadecimal digits. */
const cursorKey = z.string().regex(/^(?:[0-9a-f]{2}){0,32}$/)

/** Selects the conversions after the given one in the list. */
const behind = ([key, ms]: [string, number]) =>
  sql`(create_time, signal_conversions.key) < (${new Date(ms)}, decode(${key}, 'hex'))`

/**
 * Returns a pattern for the stored platforms of conversions that may have this status at this destination. '' stands
 * for any status or destination.
 */
const platformsLike = (destination: string, status: ConversionStatus | ''): string => {
  const at = destination === '' ? '' : `"${destination}",`
  return status === '' ? at : `${at}${status === 'not_sent' ? '"[a-z_]+"' : '""'},[0-9]+\\]`
}

/** Maximum time by which a first delivery can appear to be earlier than its conversion, ms, because clocks differ. */
const slackMs = 60_000

/** Lists the conversions of a signal, newest first. */
export const listConversions =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.signals.listConversions> =>
  async ({ workspace, params, query, signal: aborted }) => {
    const page = openPage('signals.listConversions', params, query, z.tuple([cursorKey, cursorMs]))
    const { id: signalId } = await readSignal(db, workspace.id, params.signal)
    const platforms = new Map(
      ((await readPlatforms(db, [signalId])).get(signalId) ?? []).map((row): [string, Platform] => [
        row.destination_id,
        { title: row.title, platform: signalPlatforms.find((each) => each === row.platform) ?? 'meta' },
      ]),
    )
    const at = destinationIdOf(query.destination, workspace.id)
    if (at !== '' && !platforms.has(at)) return { conversions: [], next_page_token: '' }
    // The order is that of an index. The order uses the column with its table name, because `key` alone would be the
    // hexadecimal text.
    const { rows: found } = await sql<Row>`
      select encode(key, 'hex') as key, origin, event_id, source_event, event_time, create_time, amount, currency, test,
        platforms from signal_conversions
      where signal_id = ${signalId}::uuid
        and ${page.after === undefined ? sql`true` : behind(page.after)}
        and ${query.event_id === '' ? sql`true` : sql`event_id = ${query.event_id}`}
        and platforms ~ ${platformsLike(at, query.status)}
      order by create_time desc, signal_conversions.key desc limit ${page.size + 1}`.execute(db)
    const { rows, next } = page.cut(found, ({ create_time, key }) => [key, create_time.getTime()] as [string, number])
    const since = Math.min(...rows.map(({ create_time }) => create_time.getTime())) - slackMs
    const outcomes = await readOutcomesOf(
      eventStore,
      workspace.id,
      { destinations: [...platforms.keys()], ids: rows.map(({ key }) => `${signalId}-${key}`), since },
      aborted,
    )
    const conversions = rows.map((row) => present(workspace.id, signalId, row, platforms, outcomes))
    const isWanted = ({ destination, status }: Conversion['platforms'][number]): boolean =>
      (query.destination === '' || destination === query.destination) &&
      (query.status === '' || status === query.status)
    return {
      // The query cannot filter by outcomes, which are read afterwards. So conversions of this page with another
      // outcome are removed here.
      conversions:
        query.status === '' || query.status === 'not_sent'
          ? conversions
          : conversions.filter((each) => each.platforms.some(isWanted)),
      next_page_token: next,
    }
  }
